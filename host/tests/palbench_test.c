/* SPDX-License-Identifier: MIT */
/* palbench as its callers see it: exit codes, lines, JSON. No test looks at a time. */
#include <errno.h>
#include <jansson.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kit/child.h"
#include "kit/process.h"
#include "kit/seccomp.h"
#include "kit/test.h"
#include "kit/trace.h"

#define MOST_ARGUMENTS 12

struct output_file {
    char path[32];
};

static struct output_file output_file(void)
{
    struct output_file file = {"/tmp/palbench-test-XXXXXX"};
    int fd = mkstemp(file.path);

    if (fd >= 0)
        (void)close(fd);
    return file;
}

/* The JSON in a file, which is removed; NULL when it is none. */
static json_t *take_json(const struct output_file *file)
{
    json_t *json = json_load_file(file->path, 0, NULL);

    (void)unlink(file->path);
    return json;
}

static const char *text_at(json_t *json, const char *key)
{
    const char *text = json_string_value(json_object_get(json, key));

    return text ? text : "(no text)";
}

static void expect_numbers(json_t *json, const char *const *keys, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!json_is_number(json_object_get(json, keys[i])))
            FAIL("%s: no number '%s'", text_at(json, "command"), keys[i]);
}

static void expect_ratio(json_t *ratio)
{
    static const char *const numbers[] = {"median", "low", "high"};

    expect_numbers(ratio, numbers, 3);
}

static void expect_head(json_t *json, const char *command)
{
    EXPECT_STREQ(text_at(json, "tool"), "palbench");
    EXPECT_STREQ(text_at(json, "version"), PAL_VERSION);
    EXPECT_STREQ(text_at(json, "command"), command);
    EXPECT_TRUE(json_is_object(json_object_get(json, "machine")));
}

PAL_TEST(palbench, bad_usage_is_one_line_and_code_2)
{
    static char *const bad[][MOST_ARGUMENTS] = {
        {PALBENCH},
        {PALBENCH, "nonsense"},
        {PALBENCH, "--nonsense"},
        {PALBENCH, "startup", "--nonsense"},
        {PALBENCH, "startup", "-x"},
        {PALBENCH, "startup", "--runs"},
        {PALBENCH, "startup", "--runs", "0"},
        {PALBENCH, "startup", "--runs", "-1"},
        {PALBENCH, "startup", "--runs", "3x"},
        {PALBENCH, "startup", "--runs", ""},
        {PALBENCH, "startup", "--runs", "99999999999999999999"},
        {PALBENCH, "startup", "--warmup", "many"},
        {PALBENCH, "startup", "--json", "/nonexistent/file"},
        {PALBENCH, "startup", "--json", "/"},
        {PALBENCH, "startup", "--", "/nonexistent/program"},
        {PALBENCH, "startup", "--", "no-such-program-in-path"},
        {PALBENCH, "startup", "--", "/"},
        {PALBENCH, "startup", "--", ""},
        {PALBENCH, "startup", "--warmup", "0", "--runs", "1", "--", "false"},
        {PALBENCH, "flush", "--cases", "alone,nonsense"},
        {PALBENCH, "flush", "--cases", ""},
        {PALBENCH, "flush", "--cases", "alone,"},
        {PALBENCH, "flush", "--methods", "pal-membarrier"},
        {PALBENCH, "flush", "--json", "/nonexistent/file"},
        {PALBENCH, "flush", "nonsense"},
        {PALBENCH, "flush", "--", "nonsense"},
        {PALBENCH, "spawn", "--nonsense"},
        {PALBENCH, "spawn", "--max"},
        {PALBENCH, "spawn", "--max", "0"},
        {PALBENCH, "spawn", "--max", "1025"},
        {PALBENCH, "spawn", "--max", "4x"},
        {PALBENCH, "spawn", "--json", "/nonexistent/file"},
        {PALBENCH, "spawn", "nonsense"},
        {PALFIRST},
        {PALFIRST, "nonsense"},
        {PALFIRST, "pal", "pthread"},
    };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct kit_child_result result = kit_run_program(bad[i], NULL);
        char *end = strchr(result.output, '\n');
        if (result.exit_code != 2 || !end || end[1])
            kit_fail(__FILE__, __LINE__, "command line %zu: code %d, output: %s", i,
                     result.exit_code, result.output);
    }
}

PAL_TEST(palbench, version_and_help)
{
    struct kit_child_result version =
        kit_run_program((char *const[]){PALBENCH, "--version", NULL}, NULL);
    struct kit_child_result help = kit_run_program((char *const[]){PALBENCH, "--help", NULL}, NULL);

    EXPECT_EQ(version.exit_code, 0);
    EXPECT_STREQ(version.output, "palbench " PAL_VERSION "\n");
    EXPECT_EQ(help.exit_code, 0);
    EXPECT_STRHAS(help.output, "  startup ");
    EXPECT_STRHAS(help.output, "  flush ");
    EXPECT_STRHAS(help.output, "  spawn ");
    EXPECT_STRHAS(help.output, "Examples:");
}

PAL_TEST(palbench, help_of_each_command)
{
    struct kit_child_result startup =
        kit_run_program((char *const[]){PALBENCH, "startup", "--help", NULL}, NULL);
    struct kit_child_result flush =
        kit_run_program((char *const[]){PALBENCH, "flush", "--help", NULL}, NULL);
    struct kit_child_result spawn =
        kit_run_program((char *const[]){PALBENCH, "spawn", "--help", NULL}, NULL);

    EXPECT_EQ(startup.exit_code, 0);
    EXPECT_STRHAS(startup.output, "Usage: palbench startup [OPTION...] [-- COMMAND...]");
    EXPECT_STRHAS(startup.output, "Examples:");
    EXPECT_EQ(flush.exit_code, 0);
    EXPECT_STRHAS(flush.output, "Usage: palbench flush [OPTION...]\n");
    EXPECT_STRHAS(flush.output, "Examples:");
    EXPECT_EQ(spawn.exit_code, 0);
    EXPECT_STRHAS(spawn.output, "Usage: palbench spawn [OPTION...]\n");
    EXPECT_STRHAS(spawn.output, "Examples:");
}

PAL_TEST(palbench_startup, a_command_that_fails_is_named_with_its_code)
{
    struct kit_child_result result = kit_run_program(
        (char *const[]){PALBENCH, "startup", "--runs", "1", "--", "sh", "-c", "exit 7", NULL},
        NULL);

    EXPECT_EQ(result.exit_code, 2);
    EXPECT_STREQ(result.output, "palbench: cannot measure 'sh -c exit 7': exited with code 7\n");
}

static void expect_startup_row(json_t *row, const char *name, json_int_t runs)
{
    static const char *const numbers[] = {"mean", "median", "user",  "system",
                                          "min",  "max",    "stddev"};
    static const char *const init_numbers[] = {"median", "min", "p95"};
    json_t *init = json_object_get(row, "pal_init_ns");

    EXPECT_STREQ(text_at(row, "command"), name);
    expect_numbers(row, numbers, sizeof numbers / sizeof *numbers);
    EXPECT_EQ(json_array_size(json_object_get(row, "times")), (size_t)runs);
    EXPECT_EQ(json_array_size(json_object_get(row, "exit_codes")), (size_t)runs);
    expect_ratio(json_object_get(row, "ratio"));
    EXPECT_EQ(init != NULL, strncmp(name, "pal-", 4) == 0);
    if (init) {
        expect_numbers(init, init_numbers, 3);
        expect_ratio(json_object_get(row, "ratio_to_raw"));
    }
}

PAL_TEST(palbench_startup, json_is_hyperfines_with_additions)
{
    static const char *const names[] = {"bare",         "raw-early",         "raw-late",
                                        "pal-early",    "pal-late",          "raw-threaded",
                                        "pal-threaded", "pal-threaded-late", "echo $(false) | *"};
    struct output_file file = output_file();
    struct kit_child_result result =
        kit_run_program((char *const[]){PALBENCH, "startup", "--runs", "3", "--warmup", "0",
                                        "--json", file.path, "--", "echo", "$(false) | *", NULL},
                        NULL);
    json_t *json = take_json(&file);
    json_t *results = json_object_get(json, "results");

    EXPECT_EQ(result.exit_code, 2); /* three runs cannot tell */
    EXPECT_STRHAS(result.output, "pal-late against pal-early: cannot tell: ");
    expect_head(json, "startup");
    ASSERT_EQ(json_array_size(results), sizeof names / sizeof *names);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        expect_startup_row(json_array_get(results, i), names[i], 3);
    EXPECT_TRUE(json_is_number(json_object_get(json, "pal_init_floor_ns")));
    EXPECT_STREQ(text_at(json_object_get(json, "verdict"), "answer"), "cannot tell");
    json_decref(json);
}

PAL_TEST(palbench_startup, json_to_stdout_is_alone_there)
{
    struct kit_child_result result = kit_run_program(
        (char *const[]){"sh", "-c", "\"$0\" startup --runs 1 --warmup 0 --json - 2>/dev/null",
                        PALBENCH, NULL},
        NULL);
    json_t *json = json_loads(result.output, 0, NULL);
    json_t *row = json_array_get(json_object_get(json, "results"), 0);

    expect_head(json, "startup");
    EXPECT_TRUE(json_is_null(json_object_get(row, "stddev"))); /* a single run has none */
    json_decref(json);
}

PAL_TEST(palbench_startup, results_that_cannot_be_written_are_an_error)
{
    struct kit_child_result json = kit_run_program(
        (char *const[]){"sh", "-c",
                        "\"$0\" startup --runs 1 --warmup 0 --json /dev/full >/dev/null", PALBENCH,
                        NULL},
        NULL);
    struct kit_child_result table =
        kit_run_program((char *const[]){"sh", "-c", "\"$0\" startup --runs 1 --warmup 0 >/dev/full",
                                        PALBENCH, NULL},
                        NULL);

    EXPECT_EQ(json.exit_code, 3);
    EXPECT_STREQ(json.output, "palbench: cannot write '/dev/full': No space left on device\n");
    EXPECT_EQ(table.exit_code, 3);
}

/* A method that does not work on this machine has no figures, but a reason. */
static bool is_skipped(json_t *json, const char *impl)
{
    size_t i;
    json_t *entry;

    json_array_foreach(json_object_get(json, "skipped"), i,
                       entry) if (strcmp(text_at(entry, "impl"), impl) == 0 &&
                                  *text_at(entry, "reason")) return true;
    return false;
}

static json_t *result_of(json_t *json, const char *name, const char *impl)
{
    size_t i;
    json_t *entry;

    json_array_foreach(json_object_get(json, "results"), i,
                       entry) if (strcmp(text_at(entry, "case"), name) == 0 &&
                                  strcmp(text_at(entry, "impl"), impl) == 0) return entry;
    return NULL;
}

static void expect_flush_result(json_t *json, const char *flush_case, const char *impl)
{
    static const char *const numbers[] = {"median", "min", "p95", "p99", "calls"};
    json_t *result = result_of(json, flush_case, impl);

    if (is_skipped(json, impl)) {
        EXPECT_TRUE(result == NULL);
        return;
    }
    EXPECT_STREQ(text_at(result, "unit"), "ns");
    expect_numbers(result, numbers, sizeof numbers / sizeof *numbers);
    if (strncmp(impl, "pal-", 4) == 0)
        expect_ratio(json_object_get(result, "ratio"));
}

PAL_TEST(palbench_flush, json_has_each_case_and_impl)
{
    static const char *const flush_cases[] = {"spin-2", "sleep-8"};
    static const char *const impls[] = {"pal-membarrier", "raw-membarrier", "pal-mprotect",
                                        "raw-mprotect",   "pal-signal",     "pal-global",
                                        "raw-global"};
    struct output_file file = output_file();
    struct kit_child_result result =
        kit_run_program((char *const[]){PALBENCH, "flush", "--quick", "--cases", "spin-2,sleep-8",
                                        "--json", file.path, NULL},
                        NULL);
    json_t *json = take_json(&file);

    EXPECT_CHILD_OK(result);
    expect_head(json, "flush");
    for (size_t i = 0; i < sizeof flush_cases / sizeof *flush_cases; i++)
        for (size_t j = 0; j < sizeof impls / sizeof *impls; j++)
            expect_flush_result(json, flush_cases[i], impls[j]);
    EXPECT_TRUE(result_of(json, "alone", "raw-mprotect") == NULL);
    /* One method after the other: the PAL is terminated in between. */
    EXPECT_TRUE(is_skipped(json, "raw-membarrier") || !is_skipped(json, "pal-membarrier"));
    EXPECT_TRUE(is_skipped(json, "raw-mprotect") || !is_skipped(json, "pal-mprotect"));
    EXPECT_TRUE(is_skipped(json, "raw-global") || !is_skipped(json, "pal-global"));
    json_decref(json);
}

PAL_TEST(palbench_flush, methods_and_cases_are_chosen)
{
    struct output_file file = output_file();
    struct kit_child_result result =
        kit_run_program((char *const[]){PALBENCH, "flush", "--quick", "--cases", "alone",
                                        "--methods", "membarrier", "--json", file.path, NULL},
                        NULL);
    json_t *json = take_json(&file);

    SKIP_UNLESS(!is_skipped(json, "pal-membarrier"), "membarrier does not work here");
    EXPECT_CHILD_OK(result);
    EXPECT_EQ(json_array_size(json_object_get(json, "results")), 2u);
    EXPECT_EQ(json_array_size(json_object_get(json, "skipped")), 0u);
    json_decref(json);
}

/*
 * palbench among programs that are not what it measures but do as they are told: it looks for
 * palraw and palhost beside itself. Each notes how it was called; those in `slow` take many times
 * longer.
 */
struct stage {
    char directory[40];
    char palbench[64];
    char log[64];
};

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

/* slow: a pattern of sh's case. */
static bool stage_open(struct stage *stage, const char *slow)
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

static void stage_close(const struct stage *stage)
{
    (void)kit_run_program((char *const[]){"rm", "-r", (char *)stage->directory, NULL}, NULL);
}

/* How often a program was called with just this line. */
static int calls_of(const struct stage *stage, const char *line)
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

/* Each row runs what its name says; warming up runs it as well, and is not counted. */
PAL_TEST(palbench_startup, rows_run_what_they_say)
{
    static const char *const lines[] = {
        "palraw bare",
        "palraw early",
        "palraw late",
        "palraw threaded",
        "palhost hello",
        "palhost hello --order=worker-first",
        "palhost hello --threads=4",
        "palhost hello --threads=4 --order=worker-first",
    };
    static const char *const once_a_round[] = {
        "palraw floor",
        "palhost hello --trace=json",
        "palhost hello --order=worker-first --trace=json",
        "palhost hello --threads=4 --trace=json",
        "palhost hello --threads=4 --order=worker-first --trace=json",
    };
    struct stage stage;
    struct output_file file = output_file();

    ASSERT_TRUE(stage_open(&stage, "none"));
    struct kit_child_result result =
        kit_run_program((char *const[]){stage.palbench, "startup", "--runs", "2", "--warmup", "1",
                                        "--json", file.path, NULL},
                        NULL);
    json_t *json = take_json(&file);
    json_t *results = json_object_get(json, "results");

    EXPECT_EQ(result.exit_code, 2);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        EXPECT_EQ(calls_of(&stage, lines[i]), 3);
    for (size_t i = 0; i < sizeof once_a_round / sizeof *once_a_round; i++)
        EXPECT_EQ(calls_of(&stage, once_a_round[i]), 2);
    ASSERT_EQ(json_array_size(results), sizeof lines / sizeof *lines);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        EXPECT_EQ(json_array_size(json_object_get(json_array_get(results, i), "times")), 2u);
    json_t *exit_codes = json_object_get(json_array_get(results, 0), "exit_codes");
    EXPECT_TRUE(json_is_integer(json_array_get(exit_codes, 0)));
    EXPECT_EQ(json_integer_value(json_array_get(exit_codes, 0)), 0);
    json_decref(json);
    stage_close(&stage);
}

static int processors(void)
{
    cpu_set_t allowed;

    return sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : 0;
}

static double median_ratio(json_t *json, size_t row)
{
    json_t *results = json_object_get(json, "results");
    json_t *ratio = json_object_get(json_array_get(results, row), "ratio");

    return json_number_value(json_object_get(ratio, "median"));
}

/* In place of the default's 200. */
PAL_TEST(palbench_startup, quick_makes_40_runs_at_most)
{
    struct stage stage;
    struct output_file file = output_file();

    ASSERT_TRUE(stage_open(&stage, "none"));
    (void)kit_run_program((char *const[]){stage.palbench, "startup", "--quick", "--warmup", "0",
                                          "--json", file.path, NULL},
                          NULL);
    json_t *json = take_json(&file);
    json_t *row = json_array_get(json_object_get(json, "results"), 0);
    size_t runs = json_array_size(json_object_get(row, "times"));

    EXPECT_GE(runs, 1u);
    EXPECT_LE(runs, 40u);
    json_decref(json);
    stage_close(&stage);
}

/* A wrong order that is slow with the PAL and without: yes, and the code says so. */
PAL_TEST(palbench_startup, slow_wrong_order_is_a_yes)
{
    struct stage stage;
    struct output_file file = output_file();

    SKIP_UNLESS(processors() > 1, "one processor: no verdict");
    ASSERT_TRUE(stage_open(&stage, "*late|*worker-first"));
    struct kit_child_result result =
        kit_run_program((char *const[]){stage.palbench, "startup", "--runs", "5", "--warmup", "0",
                                        "--json", file.path, NULL},
                        NULL);
    json_t *json = take_json(&file);

    EXPECT_EQ(result.exit_code, 0);
    EXPECT_STREQ(text_at(json_object_get(json, "verdict"), "answer"), "slower");
    EXPECT_EQ(median_ratio(json, 0), 1.0);
    EXPECT_GT(median_ratio(json, 4), 1.0); /* pal-late to bare */
    json_decref(json);
    stage_close(&stage);
}

/* Slow with the PAL alone, it is not the registration: the machine has shown no slow one. */
PAL_TEST(palbench_startup, slow_path_is_looked_for_without_the_pal)
{
    struct stage stage;

    SKIP_UNLESS(processors() > 1, "one processor: no verdict");
    ASSERT_TRUE(stage_open(&stage, "*worker-first"));
    struct kit_child_result result = kit_run_program(
        (char *const[]){stage.palbench, "startup", "--runs", "5", "--warmup", "0", NULL}, NULL);

    EXPECT_EQ(result.exit_code, 2);
    EXPECT_STRHAS(result.output, "no slow registration seen on this machine");
    stage_close(&stage);
}

static void stay_on_one_processor(void *unused)
{
    cpu_set_t allowed;
    int cpu = 0;

    (void)unused;
    ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
    while (!CPU_ISSET(cpu, &allowed))
        cpu++;
    CPU_ZERO(&allowed);
    CPU_SET(cpu, &allowed);
    ASSERT_EQ(sched_setaffinity(0, sizeof allowed, &allowed), 0);
}

/* What counts is where the programs may run, whatever the machine has besides. */
PAL_TEST(palbench_startup, one_processor_cannot_tell)
{
    struct output_file file = output_file();
    struct kit_child_result result =
        kit_run_program_after((char *const[]){PALBENCH, "startup", "--runs", "1", "--warmup", "0",
                                              "--json", file.path, NULL},
                              NULL, stay_on_one_processor, NULL);
    json_t *json = take_json(&file);
    json_t *machine = json_object_get(json, "machine");

    EXPECT_EQ(result.exit_code, 2);
    EXPECT_STRHAS(result.output, "cannot tell: one processor");
    EXPECT_EQ(json_integer_value(json_object_get(machine, "cpus")), 1);
    EXPECT_EQ(json_integer_value(json_object_get(machine, "cpus_online")),
              sysconf(_SC_NPROCESSORS_ONLN));
    EXPECT_STRNE(text_at(machine, "arch"), "(no text)");
    EXPECT_STRNE(text_at(machine, "kernel"), "(no text)");
    EXPECT_STRNE(text_at(machine, "cpu"), "(no text)");
    json_decref(json);
}

/* A file that an earlier run left longer, and hyperfine's unit: the runs together took no longer
 * than palbench did. */
PAL_TEST(palbench_startup, file_is_replaced_and_times_are_seconds)
{
    struct output_file file = output_file();
    FILE *stream = fopen(file.path, "we");

    ASSERT_TRUE(stream != NULL);
    for (int i = 0; i < 100000; i++)
        (void)fputs("old ", stream);
    ASSERT_EQ(fclose(stream), 0);
    const double begin = kit_clock();
    struct kit_child_result result =
        kit_run_program((char *const[]){PALBENCH, "startup", "--runs", "1", "--warmup", "0",
                                        "--json", file.path, NULL},
                        NULL);
    const double took = kit_clock() - begin;
    json_t *json = take_json(&file);
    json_t *row;
    size_t i;
    double sum = 0;

    EXPECT_EQ(result.exit_code, 2);
    ASSERT_TRUE(json != NULL);
    json_array_foreach(json_object_get(json, "results"), i, row) sum +=
        json_number_value(json_array_get(json_object_get(row, "times"), 0));
    EXPECT_GT(sum, 0.0);
    EXPECT_LE(sum, took);
    json_decref(json);
}

static void deny_membarrier(void *unused)
{
    (void)unused;
    SKIP_UNLESS(kit_deny_syscall(SYS_membarrier, EPERM) == 0, "no seccomp here");
}

PAL_TEST(palbench_flush, nothing_that_works_is_code_2)
{
    struct kit_child_result result = kit_run_program_after(
        (char *const[]){PALBENCH, "flush", "--quick", "--methods", "membarrier", NULL}, NULL,
        deny_membarrier, NULL);

    RETURN_IF_SKIPPED();
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_STRHAS(result.output, "skipped pal-membarrier: ");
    EXPECT_STRHAS(result.output, "skipped raw-membarrier: Operation not permitted");
}

#define REGISTER (1 << 4) /* MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED */

static bool makes_a_thread(long nr)
{
    return nr == SYS_clone
#ifdef SYS_clone3
           || nr == SYS_clone3
#endif
        ;
}

/* -1, 0 or 1: the registration comes before the only thread, is not made, or comes after it. */
static int order_of(const char *mode)
{
    char *const argv[] = {PALRAW, (char *)mode, NULL};
    struct kit_trace_log log;
    int thread = -1;

    if (kit_trace_program(argv, NULL, &log) != 0) {
        kit_skip(__FILE__, __LINE__, "ptrace is not to be had");
        return 0;
    }
    EXPECT_EQ(log.exit_code, 0);
    int registration = kit_trace_find(&log, 0, SYS_membarrier, REGISTER);
    for (int i = 0; i < log.count && thread < 0; i++)
        if (makes_a_thread(log.calls[i].nr))
            thread = i;
    EXPECT_EQ(thread >= 0, strcmp(mode, "bare") != 0);
    kit_trace_free(&log);
    if (registration < 0)
        return 0;
    return registration < thread ? -1 : 1;
}

/* What the PAL is compared with does what the rows are called. */
PAL_TEST(palraw, registers_early_or_late_or_not_at_all)
{
    SKIP_UNLESS(!KIT_TSAN, "ThreadSanitizer starts a thread of its own");
    EXPECT_EQ(order_of("bare"), 0);
    RETURN_IF_SKIPPED();
    EXPECT_EQ(order_of("early"), -1);
    EXPECT_EQ(order_of("late"), 1);
    EXPECT_EQ(order_of("threaded"), 0);
    EXPECT_EQ(order_of("floor"), -1);
}

/* The threads of a case are really there. */
PAL_TEST(palbench_flush, cases_have_their_threads)
{
    static const struct {
        char *name;
        int threads;
    } flush_cases[] = {{"spin-2", 2}, {"sleep-8", 8}};

    SKIP_UNLESS(!KIT_TSAN, "ThreadSanitizer starts a thread of its own");
    for (size_t i = 0; i < sizeof flush_cases / sizeof *flush_cases; i++) {
        char *const argv[] = {PALBENCH,    "flush",  "--quick", "--cases",   flush_cases[i].name,
                              "--methods", "global", "--json",  "/dev/null", NULL};
        struct kit_trace_log log;
        int threads = 0;
        SKIP_UNLESS(kit_trace_program(argv, NULL, &log) == 0, "ptrace is not to be had");
        for (int j = 0; j < log.count; j++)
            threads += makes_a_thread(log.calls[j].nr);
        EXPECT_EQ(threads, flush_cases[i].threads);
        kit_trace_free(&log);
    }
}

static void expect_spawn_result(json_t *json, const char *name, const char *impl)
{
    static const char *const numbers[] = {"median", "min", "p95", "runs", "threads"};
    static const char *const sweep_numbers[] = {"rounds", "thread_round_ns"};
    json_t *result = result_of(json, name, impl);
    bool create = strncmp(name, "create-", 7) == 0;

    if (!result)
        FAIL("no result of %s by %s", name, impl);
    EXPECT_STREQ(text_at(result, "unit"), create ? "us" : "ms");
    expect_numbers(result, numbers, sizeof numbers / sizeof *numbers);
    if (!create) {
        expect_numbers(result, sweep_numbers, 2);
        EXPECT_EQ(json_is_number(json_object_get(result, "growth")), !strstr(name, "-1"));
        EXPECT_EQ(json_integer_value(json_object_get(result, "threads")),
                  atoi(strchr(name, '-') + 1));
    }
    if (strcmp(impl, "pal") != 0)
        return;
    expect_ratio(json_object_get(result, "ratio"));
    EXPECT_TRUE(json_is_number(json_object_get(result, "limit")));
    EXPECT_STRHAS("below around above", text_at(result, "interval"));
}

PAL_TEST(palbench_spawn, json_has_each_case_on_both_sides)
{
    static const char *const cases[] = {"yield-1",
                                        "barrier-1",
                                        "yield-2",
                                        "barrier-2",
                                        "yield-4",
                                        "barrier-4",
                                        "create-default-first",
                                        "create-default-repeat",
                                        "create-default-batch64",
                                        "create-256k-repeat",
                                        "create-8m-repeat"};
    const size_t count = sizeof cases / sizeof *cases;
    struct output_file file = output_file();
    struct kit_child_result result = kit_run_program(
        (char *const[]){PALBENCH, "spawn", "--quick", "--max", "4", "--json", file.path, NULL},
        NULL);
    json_t *json = take_json(&file);
    json_t *planned = json_object_get(json, "planned");

    EXPECT_CHILD_OK(result);
    expect_head(json, "spawn");
    EXPECT_EQ(json_array_size(json_object_get(json, "results")), 2 * count);
    for (size_t i = 0; i < count; i++) {
        expect_spawn_result(json, cases[i], "pal");
        expect_spawn_result(json, cases[i], "pthread");
    }
    EXPECT_EQ(json_integer_value(json_object_get(planned, "runs")), 15);
    EXPECT_EQ(json_integer_value(json_object_get(planned, "rounds")), 200);
    json_decref(json);
}

/* What the fresh processes tell is what is reported, and each is one of them. */
PAL_TEST(palbench_spawn, first_threads_are_those_of_fresh_processes)
{
    static const char *const impls[] = {"pal", "pthread"};
    struct stage stage;
    struct output_file file = output_file();

    ASSERT_TRUE(stage_open(&stage, "none"));
    struct kit_child_result result =
        kit_run_program((char *const[]){stage.palbench, "spawn", "--quick", "--max", "1", "--json",
                                        file.path, NULL},
                        NULL);
    json_t *json = take_json(&file);

    EXPECT_CHILD_OK(result);
    for (size_t i = 0; i < 2; i++) {
        char line[32];
        json_t *first = result_of(json, "create-default-first", impls[i]);
        (void)snprintf(line, sizeof line, "palfirst %s", impls[i]);
        EXPECT_EQ(json_number_value(json_object_get(first, "median")), 1.5);
        EXPECT_EQ(json_integer_value(json_object_get(first, "runs")) + 3, calls_of(&stage, line));
    }
    json_decref(json);
    stage_close(&stage);
}

/* One thread, on either side: the PAL brings no other. */
PAL_TEST(palfirst, makes_one_thread)
{
    static char *const impls[] = {"pal", "pthread"};

    SKIP_UNLESS(!KIT_TSAN, "ThreadSanitizer starts a thread of its own");
    for (size_t i = 0; i < sizeof impls / sizeof *impls; i++) {
        char *const argv[] = {PALFIRST, impls[i], NULL};
        struct kit_trace_log log;
        int threads = 0;
        SKIP_UNLESS(kit_trace_program(argv, NULL, &log) == 0, "ptrace is not to be had");
        EXPECT_EQ(log.exit_code, 0);
        for (int j = 0; j < log.count; j++)
            threads += makes_a_thread(log.calls[j].nr);
        EXPECT_EQ(threads, 1);
        kit_trace_free(&log);
    }
}
