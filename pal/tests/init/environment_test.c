/* SPDX-License-Identifier: MIT */
#include "init/environment.h"

#include <errno.h>
#include <pal/flush.h>

#include "kit/test.h"
#include "thread/flush_choice.h"

PAL_TEST(environment, unset_or_empty)
{
    struct environment unset = environment_parse(NULL, NULL, NULL);
    struct environment empty = environment_parse("", NULL, "");

    EXPECT_EQ(unset.flush_wish, FLUSH_WISH_AUTO);
    EXPECT_FALSE(unset.trace_init);
    EXPECT_EQ(unset.error, 0);
    EXPECT_EQ(empty.flush_wish, FLUSH_WISH_AUTO);
    EXPECT_FALSE(empty.trace_init);
    EXPECT_EQ(empty.error, 0);
}

PAL_TEST(environment, every_method_by_name)
{
    EXPECT_EQ(environment_parse("none", NULL, NULL).flush_wish, (int)PAL_FLUSH_METHOD_NONE);
    EXPECT_EQ(environment_parse("membarrier", NULL, NULL).flush_wish,
              (int)PAL_FLUSH_METHOD_MEMBARRIER);
    EXPECT_EQ(environment_parse("mprotect", NULL, NULL).flush_wish, (int)PAL_FLUSH_METHOD_MPROTECT);
    EXPECT_EQ(environment_parse("global", NULL, NULL).flush_wish, (int)PAL_FLUSH_METHOD_GLOBAL);
    EXPECT_EQ(environment_parse("global", NULL, NULL).error, 0);
}

PAL_TEST(environment, bad_values)
{
    static const char *const bad[] = {"signal", "auto", "MEMBARRIER", "membarrier ", "1", " "};

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        EXPECT_EQ(environment_parse(bad[i], NULL, NULL).error, -EINVAL);
    EXPECT_EQ(environment_parse(NULL, NULL, "all").error, -EINVAL);
    EXPECT_EQ(environment_parse("none", NULL, "inits").error, -EINVAL);
    EXPECT_EQ(environment_parse("signal", NULL, "init").error, -EINVAL); /* no excuse */
}

PAL_TEST(environment, trace)
{
    EXPECT_TRUE(environment_parse(NULL, NULL, "init").trace_init);
    EXPECT_EQ(environment_parse(NULL, NULL, "init").error, 0);
}

PAL_TEST(environment, stack_size)
{
    static const char *const bad[] = {
        "0", "-1", "+1", " 1", "1k", "1.5", "0x", "x", "99999999999999999999999"};

    EXPECT_EQ(environment_parse(NULL, NULL, NULL).stack_size, 0u);
    EXPECT_EQ(environment_parse(NULL, "", NULL).error, 0);
    EXPECT_EQ(environment_parse(NULL, "262144", NULL).stack_size, 262144u);
    EXPECT_EQ(environment_parse(NULL, "0x40000", NULL).stack_size, 262144u);
    EXPECT_EQ(environment_parse(NULL, "262144", NULL).error, 0);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        EXPECT_EQ(environment_parse(NULL, bad[i], NULL).error, -EINVAL);
}
