/* SPDX-License-Identifier: MIT */
/* The checks: that they hold when they are to, and what they say when they do not. */
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "child.h"
#include "latch.h"
#include "test.h"

PAL_TEST(kit_check, integers_compare_by_value)
{
    EXPECT_LT(-1, 1u);
    EXPECT_NE(-1, UINT_MAX);
    EXPECT_NE(-1LL, ULLONG_MAX);
    EXPECT_GT(ULLONG_MAX, LLONG_MAX);
    EXPECT_GE(ULLONG_MAX, -1);
    EXPECT_EQ(3u, 3L);
    EXPECT_LE(LLONG_MIN, 0u);
    EXPECT_LT(LLONG_MIN, -1);
    EXPECT_EQ(true, 1);
    EXPECT_EQ('a', 97u);
    EXPECT_EQ((int8_t)-1, -1L);
    EXPECT_EQ((uint8_t)255, 255);
}

PAL_TEST(kit_check, everything_else_compares_as_in_c)
{
    enum colour { RED, GREEN } colour = GREEN;
    _Atomic unsigned counted = 4;
    const volatile int here = 0;
    EXPECT_EQ(colour, GREEN);
    EXPECT_NE(colour, RED);
    EXPECT_EQ(counted, 4);
    EXPECT_EQ(&here, &here);
    EXPECT_NE(&here, NULL);
    EXPECT_NE(&printf, NULL);
    EXPECT_EQ((void *)NULL, 0);
    EXPECT_TRUE(&here);
    EXPECT_FALSE(NULL);
    EXPECT_LT(0.5, 1);
    EXPECT_EQ(0.5F, 0.5);
    EXPECT_NE((double)NAN, (double)NAN);
}

PAL_TEST(kit_check, texts)
{
    char text[] = "text";
    EXPECT_STREQ(text, "text");
    EXPECT_NE(text, "text");
    EXPECT_STRNE(text, "test");
    EXPECT_STRNE(text, NULL);
    EXPECT_STREQ((const char *)NULL, NULL);
    EXPECT_STRHAS(text, "ex");
}

PAL_TEST(kit_check, operands_are_evaluated_once_and_in_order)
{
    int turn = 0;
    int first = 0;
    int second = 0;
    EXPECT_NE(first = ++turn, second = ++turn);
    EXPECT_EQ(first, 1);
    EXPECT_EQ(second, 2);
    EXPECT_TRUE(++turn);
    EXPECT_EQ(turn, 3);
}

/* Each of these fails; what it says is looked for, in this order. */
static void fail_all(void *arg)
{
    (void)arg;
    const int minus = -1;
    const unsigned plus = 300;
    const bool no = false;
    EXPECT_EQ(minus, plus);
    EXPECT_NE(plus, 300);
    EXPECT_LT(plus, minus);
    EXPECT_LE(2.5, 1);
    EXPECT_GT(minus, minus);
    EXPECT_GE(no, true);
    EXPECT_TRUE(no);
    EXPECT_FALSE(plus);
    EXPECT_STREQ("one\n", "two");
    EXPECT_STRNE("same", "same");
    EXPECT_STRHAS("haystack", "\x01");
    EXPECT_STREQ(NULL, "some");
    EXPECT_EQ("pointed at", NULL);
}

PAL_TEST(kit_check, failures_show_both_operands)
{
    static const char *const expected[] = {
        "minus == plus\n    left: -1\n   right: 300 (0x12c)",
        "plus != 300\n    left: 300 (0x12c)\n   right: 300",
        "plus < minus\n    left: 300 (0x12c)\n   right: -1",
        "2.5 <= 1\n    left: 2.5\n   right: 1",
        "minus > minus\n    left: -1\n   right: -1",
        "no >= true\n    left: false\n   right: ",
        "no is true\n   value: false",
        "plus is false\n   value: 300 (0x12c)",
        "\"one\\n\" == \"two\"\n    left: \"one\\n\"\n   right: \"two\"",
        "\"same\" != \"same\"\n    left: \"same\"\n   right: \"same\"",
        "\"haystack\" has \"\\x01\"\n    left: \"haystack\"\n   right: \"\\x01\"",
        "NULL == \"some\"\n    left: NULL\n   right: \"some\"",
        "\"pointed at\" == NULL\n    left: 0x",
    };
    const struct kit_child_result result = kit_probe_child(fail_all, NULL, 60);
    EXPECT_EQ(result.exit_code, KIT_CHILD_FAILED);
    const char *at = result.report;
    for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
        ASSERT_STRHAS(at, expected[i]);
        at = strstr(at, expected[i]);
    }
    EXPECT_STRHAS(result.report, __FILE__);
}

static void assert_and_print(void *arg)
{
    (void)arg;
    ASSERT_EQ(1, 1);
    (void)puts("one");
    ASSERT_EQ(1, 2);
    (void)puts("two");
}

PAL_TEST(kit_check, assert_returns)
{
    const struct kit_child_result result = kit_probe_child(assert_and_print, NULL, 60);
    EXPECT_EQ(result.exit_code, KIT_CHILD_FAILED);
    EXPECT_STREQ(result.output, "one\n");
}

static void fail_once(int index, void *arg)
{
    (void)arg;
    EXPECT_LT(index, 0);
}

static void fail_in_threads(void *arg)
{
    struct kit_threads threads;
    (void)kit_threads_start(&threads, 8, fail_once, arg);
    kit_threads_join(&threads);
    EXPECT_EQ(kit_failures(), 8);
}

PAL_TEST(kit_check, threads_may_fail)
{
    const struct kit_child_result result = kit_probe_child(fail_in_threads, NULL, 60);
    EXPECT_EQ(result.exit_code, KIT_CHILD_FAILED);
    EXPECT_STRHAS(result.report, "left: 7\n");
    EXPECT_EQ(strstr(result.report, "kit_failures()"), NULL);
}

static void skip(void *arg)
{
    SKIP_UNLESS(arg != NULL, "there is nothing");
    FAIL("something %d", 5);
}

PAL_TEST(kit_check, skip_returns_and_fail_formats)
{
    int thing = 0;
    struct kit_child_result result = kit_probe_child(skip, NULL, 60);
    EXPECT_EQ(result.exit_code, KIT_CHILD_SKIPPED);
    EXPECT_STRHAS(result.report, "there is nothing");
    result = kit_probe_child(skip, &thing, 60);
    EXPECT_EQ(result.exit_code, KIT_CHILD_FAILED);
    EXPECT_STRHAS(result.report, "something 5");
}
