/* SPDX-License-Identifier: MIT */
#include "machine.h"

#include <err.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "exit_code.h"

cpu_set_t machine_allowed_cpus(void)
{
    cpu_set_t allowed;

    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        err(EXIT_INTERNAL, "cannot tell which processors may be used");
    return allowed;
}

unsigned machine_cpus(void)
{
    cpu_set_t allowed = machine_allowed_cpus();

    return (unsigned)CPU_COUNT(&allowed);
}

/* The first "model name" of /proc/cpuinfo: x86 has one, other machines may not. */
static void cpu_model(char *model, size_t size)
{
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "re");

    (void)snprintf(model, size, "unknown");
    if (!file)
        return;
    while (fgets(line, sizeof line, file)) {
        const char *value = strchr(line, ':');
        if (strncmp(line, "model name", strlen("model name")) != 0 || !value)
            continue;
        value += 1 + strspn(value + 1, " \t");
        (void)snprintf(model, size, "%.*s", (int)strcspn(value, "\n"), value);
        break;
    }
    (void)fclose(file);
}

json_t *machine_json(void)
{
    struct utsname system = {0};
    char model[128];

    (void)uname(&system);
    cpu_model(model, sizeof model);
    return json_pack("{s:i, s:i, s:s, s:s, s:s}", "cpus", (int)machine_cpus(), "cpus_online",
                     (int)sysconf(_SC_NPROCESSORS_ONLN), "arch", system.machine, "kernel",
                     system.release, "cpu", model);
}
