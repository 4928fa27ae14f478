/* SPDX-License-Identifier: MIT */
/* Both runners, as programs, over the tests of kit_sample.c. */
#include <stdio.h>
#include <string.h>

#include "child.h"
#include "test.h"

#define RUN_PLAIN(...)                                                                             \
    kit_run_program((char *const[]){(char *)KIT_SAMPLE_PLAIN, __VA_ARGS__, NULL}, NULL)

PAL_TEST(kit_plain_runner, lists_all_in_order)
{
    const struct kit_child_result result = RUN_PLAIN((char *)"--list");
    ASSERT_CHILD_OK(result);
    EXPECT_STREQ(result.output,
                 "sample.passes\nsample.fails\nsample.skips\nsample.fails_and_skips\n"
                 "sample.crashes\nsample.hangs\nsample.exits\nsample.fails_in_child\n"
                 "sample.skips_in_child\n");
}

PAL_TEST(kit_plain_runner, lists_what_the_filter_matches)
{
    const struct kit_child_result result =
        RUN_PLAIN((char *)"--list", (char *)"--filter=*.*in_child");
    ASSERT_CHILD_OK(result);
    EXPECT_STREQ(result.output, "sample.fails_in_child\nsample.skips_in_child\n");
}

PAL_TEST(kit_plain_runner, goes_on_after_every_kind_of_failure)
{
    const struct kit_child_result result = RUN_PLAIN((char *)"--timeout=1");
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_STRHAS(result.output, "[ OK ] sample.passes\n");
    EXPECT_STRHAS(result.output, "kit_sample.c:18: failure\n");
    EXPECT_STRHAS(result.output, "[FAIL] sample.fails: 1 failure\n");
    EXPECT_STRHAS(result.output, "SKIPPED sample.skips: no such thing\n");
    EXPECT_STRHAS(result.output, "[SKIP] sample.skips: no such thing\n");
    EXPECT_STRHAS(result.output, "[FAIL] sample.fails_and_skips: 1 failure\n");
    EXPECT_STRHAS(result.output, "[FAIL] sample.crashes: SIGSEGV\n");
    EXPECT_STRHAS(result.output, "[FAIL] sample.hangs: timed out after 1 s (SIGKILL)\n");
    EXPECT_STRHAS(result.output, "[FAIL] sample.exits: exited with 1 before its end\n");
    EXPECT_STRHAS(result.output, "[FAIL] sample.fails_in_child: 1 failure\n");
    EXPECT_STRHAS(result.output, "[SKIP] sample.skips_in_child: not in a child\n");
    const char *last = strstr(result.output, "1 passed, 6 failed, 2 skipped\n");
    ASSERT_NE(last, NULL);
    EXPECT_STREQ(strchr(last, '\n'), "\n");
}

PAL_TEST(kit_plain_runner, a_skip_is_no_failure)
{
    const struct kit_child_result result = RUN_PLAIN((char *)"--filter=sample.skips");
    EXPECT_CHILD_OK(result);
    EXPECT_STRHAS(result.output, "0 passed, 0 failed, 1 skipped\n");
}

PAL_TEST(kit_plain_runner, running_nothing_is_a_failure)
{
    EXPECT_EQ(RUN_PLAIN((char *)"--filter=sample").exit_code, 1);
}

PAL_TEST(kit_plain_runner, a_test_that_is_not_isolated_takes_the_runner_along)
{
    const struct kit_child_result alone = RUN_PLAIN((char *)"--filter=sample.crashes");
    EXPECT_EQ(alone.exit_code, 1);
    const struct kit_child_result together =
        RUN_PLAIN((char *)"--filter=sample.crashes", (char *)"--no-isolate");
    EXPECT_EQ(together.signal, 11);
}

PAL_TEST(kit_plain_runner, refuses_what_it_does_not_know)
{
    EXPECT_EQ(RUN_PLAIN((char *)"--timeout=soon").exit_code, 2);
    EXPECT_EQ(RUN_PLAIN((char *)"--timeout=0").exit_code, 2);
    EXPECT_EQ(RUN_PLAIN((char *)"--fast").exit_code, 2);
    EXPECT_EQ(RUN_PLAIN((char *)"sample.passes").exit_code, 2);
}

#ifdef KIT_SAMPLE_GTEST

static struct kit_child_result run_gtest(const char *filter)
{
    char option[64];
    (void)snprintf(option, sizeof(option), "--gtest_filter=%s", filter);
    char *const argv[] = {(char *)KIT_SAMPLE_GTEST, option, NULL};
    return kit_run_program(argv, NULL);
}

PAL_TEST(kit_gtest_runner, forwards_a_failure)
{
    const struct kit_child_result result = run_gtest("sample.fails");
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_STRHAS(result.output, "kit_sample.c:18: Failure\n");
    EXPECT_STRHAS(result.output, "seven == 8");
    EXPECT_STRHAS(result.output, "[  FAILED  ] sample.fails");
}

PAL_TEST(kit_gtest_runner, forwards_a_failure_of_a_child)
{
    const struct kit_child_result result = run_gtest("sample.fails_in_child");
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_STRHAS(result.output, "10 == 11");
}

PAL_TEST(kit_gtest_runner, forwards_a_skip)
{
    const struct kit_child_result result = run_gtest("sample.skips*");
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_STRHAS(result.output, "SKIPPED sample.skips: no such thing\n");
    EXPECT_STRHAS(result.output, "SKIPPED sample.skips_in_child: not in a child\n");
    EXPECT_STRHAS(result.output, "[  SKIPPED ] sample.skips");
}

PAL_TEST(kit_gtest_runner, an_early_exit_is_a_failure)
{
    const struct kit_child_result result = run_gtest("sample.exits");
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_STRHAS(result.output, "the test called exit\n");
}

PAL_TEST(kit_gtest_runner, a_failure_outweighs_a_skip)
{
    const struct kit_child_result result = run_gtest("sample.fails_and_skips");
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_EQ(strstr(result.output, "SKIPPED"), NULL);
}

#endif
