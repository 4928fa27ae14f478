/* SPDX-License-Identifier: MIT */
/* What kit_runner_test.c runs. Most of these do not pass, and are not registered with ctest. */
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "child.h"
#include "test.h"

PAL_TEST(sample, passes)
{
    EXPECT_EQ(1, 1);
}

PAL_TEST(sample, fails)
{
    const int seven = 7;
    EXPECT_EQ(seven, 8);
}

PAL_TEST(sample, skips)
{
    SKIP("no such\nthing");
}

PAL_TEST(sample, fails_and_skips)
{
    EXPECT_TRUE(false);
    SKIP("too late");
}

PAL_TEST(sample, crashes)
{
    (void)signal(SIGSEGV, SIG_DFL); /* a sanitizer would make an exit code of it */
    (void)raise(SIGSEGV);
}

PAL_TEST(sample, hangs)
{
    for (;;) {
        (void)pause();
    }
}

PAL_TEST(sample, exits)
{
    exit(0);
}

static void fail(void *arg)
{
    (void)arg;
    EXPECT_EQ(10, 11);
}

PAL_TEST(sample, fails_in_child)
{
    (void)kit_run_child(fail, NULL);
}

static void skip(void *arg)
{
    (void)arg;
    SKIP("not in a child");
}

PAL_TEST(sample, skips_in_child)
{
    const struct kit_child_result result = kit_run_child(skip, NULL);
    EXPECT_CHILD_OK(result);
    RETURN_IF_SKIPPED();
    FAIL("went on");
}
