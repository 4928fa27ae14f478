/* SPDX-License-Identifier: MIT */
/* palbench startup: its rows, its JSON, its verdict. No test looks at a time. */
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "kit/child.h"
#include "kit/process.h"
#include "kit/test.h"
#include "palbench_fixture.h"

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
