/* SPDX-License-Identifier: MIT */
/* palbench flush: its cases, its methods, its JSON. No test looks at a time. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "kit/child.h"
#include "kit/seccomp.h"
#include "kit/test.h"
#include "kit/trace.h"
#include "palbench_fixture.h"

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
