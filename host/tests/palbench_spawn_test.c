/* SPDX-License-Identifier: MIT */
/* palbench spawn, and the first threads of palfirst. No test looks at a time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kit/child.h"
#include "kit/test.h"
#include "kit/trace.h"
#include "palbench_fixture.h"

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
