/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "limits.h"
#include "process.h"

static int write_file(const char *directory, const char *name, const char *text)
{
    char path[640];
    (void)snprintf(path, sizeof(path), "%s/%s", directory, name);
    const int file = open(path, O_WRONLY | O_CLOEXEC);
    if (file == -1) {
        return -errno;
    }
    const ssize_t length = (ssize_t)strlen(text);
    const int error = write(file, text, (size_t)length) == length ? 0 : -errno;
    (void)close(file);
    return error;
}

/* The line of /proc/self/cgroup is ID:CONTROLLERS:PATH; v2 has ID 0 and no controllers. */
static bool parse(char *line, bool *unified, const char **path)
{
    char *rest = line;
    const char *id = strsep(&rest, ":");
    const char *controllers = strsep(&rest, ":");
    if (rest == NULL) {
        return false;
    }
    rest[strcspn(rest, "\n")] = '\0';
    *path = strcmp(rest, "/") == 0 ? "" : rest;
    *unified = strcmp(id, "0") == 0 && controllers[0] == '\0';
    return *unified || strcmp(controllers, "pids") == 0;
}

/* The directory of the group that this process is in; the pids hierarchy of v1 goes first. */
static int find_present(char *path, size_t size, bool *unified)
{
    FILE *file = fopen("/proc/self/cgroup", "re");
    if (file == NULL) {
        return -errno;
    }
    char line[512];
    int error = -ENOENT;
    while (fgets(line, sizeof(line), file) != NULL) {
        bool this_unified;
        const char *group;
        if (!parse(line, &this_unified, &group) || (this_unified && error == 0)) {
            continue;
        }
        (void)snprintf(path, size, "/sys/fs/cgroup%s%s", this_unified ? "" : "/pids", group);
        *unified = this_unified;
        error = 0;
        if (!this_unified) {
            break;
        }
    }
    (void)fclose(file);
    return error;
}

int kit_cgroup_create(struct kit_cgroup *cgroup, int tasks_max)
{
    char present[400];
    bool unified = false;
    int error = find_present(present, sizeof(present), &unified);
    if (error != 0) {
        return error;
    }
    if (unified) {
        error = write_file(present, "cgroup.subtree_control", "+pids");
        if (error != 0) {
            return error;
        }
    }
    (void)snprintf(cgroup->path, sizeof(cgroup->path), "%s/pal-test-%d", present, (int)getpid());
    if (mkdir(cgroup->path, 0755) == -1) {
        return -errno;
    }
    char text[16];
    (void)snprintf(text, sizeof(text), "%d", tasks_max);
    error = write_file(cgroup->path, "pids.max", text);
    if (error != 0) {
        (void)rmdir(cgroup->path);
    }
    return error;
}

int kit_cgroup_enter(const struct kit_cgroup *cgroup)
{
    return write_file(cgroup->path, "cgroup.procs", "0");
}

int kit_cgroup_remove(const struct kit_cgroup *cgroup)
{
    /* The group stays busy for an instant after the last task's end. */
    const double deadline = kit_clock() + 5;
    unsigned turns = 0;
    while (rmdir(cgroup->path) == -1) {
        if (errno != EBUSY || kit_clock() > deadline) {
            return -errno;
        }
        kit_pause(&turns);
    }
    return 0;
}
