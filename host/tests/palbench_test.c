/* SPDX-License-Identifier: MIT */
/* palbench as its callers see it: exit codes, lines, JSON. No test looks at a time. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kit/child.h"
#include "kit/test.h"

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
    EXPECT_STRHAS(help.output, "Examples:");
}

PAL_TEST(palbench, help_of_each_command)
{
    struct kit_child_result startup =
        kit_run_program((char *const[]){PALBENCH, "startup", "--help", NULL}, NULL);
    struct kit_child_result flush =
        kit_run_program((char *const[]){PALBENCH, "flush", "--help", NULL}, NULL);

    EXPECT_EQ(startup.exit_code, 0);
    EXPECT_STRHAS(startup.output, "Usage: palbench startup [OPTION...] [-- COMMAND...]");
    EXPECT_STRHAS(startup.output, "Examples:");
    EXPECT_EQ(flush.exit_code, 0);
    EXPECT_STRHAS(flush.output, "Usage: palbench flush [OPTION...]\n");
    EXPECT_STRHAS(flush.output, "Examples:");
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

static json_t *flush_result(json_t *json, const char *flush_case, const char *impl)
{
    size_t i;
    json_t *entry;

    json_array_foreach(json_object_get(json, "results"), i,
                       entry) if (strcmp(text_at(entry, "case"), flush_case) == 0 &&
                                  strcmp(text_at(entry, "impl"), impl) == 0) return entry;
    return NULL;
}

static void expect_flush_result(json_t *json, const char *flush_case, const char *impl)
{
    static const char *const numbers[] = {"median", "min", "p95", "p99", "calls"};
    json_t *result = flush_result(json, flush_case, impl);

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
    EXPECT_TRUE(flush_result(json, "alone", "raw-mprotect") == NULL);
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
