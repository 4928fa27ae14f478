/* SPDX-License-Identifier: MIT */
#include "palbench_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kit/child.h"
#include "kit/test.h"

struct output_file output_file(void)
{
    struct output_file file = {"/tmp/palbench-test-XXXXXX"};
    int fd = mkstemp(file.path);

    if (fd >= 0)
        (void)close(fd);
    return file;
}

json_t *take_json(const struct output_file *file)
{
    json_t *json = json_load_file(file->path, 0, NULL);

    (void)unlink(file->path);
    return json;
}

const char *text_at(json_t *json, const char *key)
{
    const char *text = json_string_value(json_object_get(json, key));

    return text ? text : "(no text)";
}

void expect_numbers(json_t *json, const char *const *keys, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!json_is_number(json_object_get(json, keys[i])))
            FAIL("%s: no number '%s'", text_at(json, "command"), keys[i]);
}

void expect_ratio(json_t *ratio)
{
    static const char *const numbers[] = {"median", "low", "high"};

    expect_numbers(ratio, numbers, 3);
}

void expect_head(json_t *json, const char *command)
{
    EXPECT_STREQ(text_at(json, "tool"), "palbench");
    EXPECT_STREQ(text_at(json, "version"), PAL_VERSION);
    EXPECT_STREQ(text_at(json, "command"), command);
    EXPECT_TRUE(json_is_object(json_object_get(json, "machine")));
}

json_t *result_of(json_t *json, const char *name, const char *impl)
{
    size_t i;
    json_t *entry;

    json_array_foreach(json_object_get(json, "results"), i,
                       entry) if (strcmp(text_at(entry, "case"), name) == 0 &&
                                  strcmp(text_at(entry, "impl"), impl) == 0) return entry;
    return NULL;
}

static const char script[] = "#!/bin/sh\n"
                             "line=\"${0##*/} $*\"\n"
                             "echo \"$line\" >>\"${0%%/*}/log\"\n"
                             "case $line in *floor|*--trace=json) echo '{\"init_ns\":1000}' >&2;; "
                             "palfirst*) echo '{\"create_ns\":1500}' >&2;; esac\n"
                             "case $line in %s) i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); "
                             "done;; esac\n";

static bool write_script(const char *directory, const char *name, const char *slow)
{
    char path[64];

    (void)snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "we");
    if (!file)
        return false;
    bool written = fprintf(file, script, slow) > 0 && fchmod(fileno(file), 0755) == 0;
    return fclose(file) == 0 && written;
}

bool stage_open(struct stage *stage, const char *slow)
{
    *stage = (struct stage){.directory = "/tmp/palbench-stage-XXXXXX"};
    if (!mkdtemp(stage->directory))
        return false;
    (void)snprintf(stage->palbench, sizeof stage->palbench, "%s/palbench", stage->directory);
    (void)snprintf(stage->log, sizeof stage->log, "%s/log", stage->directory);
    struct kit_child_result copy =
        kit_run_program((char *const[]){"cp", PALBENCH, stage->palbench, NULL}, NULL);
    return copy.exit_code == 0 && write_script(stage->directory, "palraw", slow) &&
           write_script(stage->directory, "palhost", slow) &&
           write_script(stage->directory, "palfirst", slow);
}

void stage_close(const struct stage *stage)
{
    (void)kit_run_program((char *const[]){"rm", "-r", (char *)stage->directory, NULL}, NULL);
}

int calls_of(const struct stage *stage, const char *line)
{
    char text[256];
    int calls = 0;
    FILE *file = fopen(stage->log, "re");

    while (file && fgets(text, sizeof text, file)) {
        text[strcspn(text, "\n")] = '\0';
        calls += strcmp(text, line) == 0;
    }
    if (file)
        (void)fclose(file);
    return calls;
}

bool makes_a_thread(long nr)
{
    return nr == SYS_clone
#ifdef SYS_clone3
           || nr == SYS_clone3
#endif
        ;
}
