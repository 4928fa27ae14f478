/* SPDX-License-Identifier: MIT */
#include "thread/stack.h"

#include <errno.h>
#include <stdint.h>

#include "kit/fault.h"
#include "kit/test.h"
#include "os/page.h"

#define KIB ((size_t)1024)

static size_t usable(struct stack stack)
{
    return (size_t)((char *)stack_high(stack) - (char *)stack_low(stack));
}

static int maps(void)
{
    return kit_fault_calls(OS_CALL_STACK_MAP);
}

PAL_TEST(stack, sizes_are_rounded_up)
{
    const size_t sizes[] = {1, 4095, 64 * KIB, 70001, 16 * 1024 * KIB};
    struct stack stack;

    ASSERT_EQ(os_page_size_init(), 0);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        ASSERT_EQ(stack_take(sizes[i], &stack), 0);
        EXPECT_GE(usable(stack), sizes[i]);
        EXPECT_GE(usable(stack), 64 * KIB);
        EXPECT_EQ(stack.size % os_page_size(), 0u);
        stack_give(stack);
    }
    ASSERT_EQ(stack_take(0, &stack), 0);
    EXPECT_GE(usable(stack), 1536 * KIB);
    stack_set_default_size(100 * KIB);
    ASSERT_EQ(stack_take(0, &stack), 0);
    EXPECT_GE(usable(stack), 100 * KIB);
    EXPECT_LT(usable(stack), 1536 * KIB);
    stack_set_default_size(0);
    ASSERT_EQ(stack_take(0, &stack), 0);
    EXPECT_GE(usable(stack), 1536 * KIB);
}

PAL_TEST(stack, too_large_is_an_error)
{
    struct stack stack = {0};

    ASSERT_EQ(os_page_size_init(), 0);
    EXPECT_EQ(stack_take(SIZE_MAX, &stack), -ENOMEM);
    EXPECT_EQ(stack_take(SIZE_MAX / 2, &stack), -ENOMEM);
    EXPECT_EQ(stack_take(SIZE_MAX / 2 - 64 * KIB, &stack), -ENOMEM);
}

PAL_TEST(stack, is_used_again_if_the_size_is_the_same)
{
    struct stack small;
    struct stack large;
    struct stack again;

    ASSERT_EQ(os_page_size_init(), 0);
    ASSERT_EQ(stack_take(64 * KIB, &small), 0);
    ASSERT_EQ(stack_take(256 * KIB, &large), 0);
    stack_give(small);
    stack_give(large);
    EXPECT_EQ(maps(), 2);
    ASSERT_EQ(stack_take(64 * KIB, &again), 0);
    EXPECT_EQ((void *)again.base, (void *)small.base);
    EXPECT_EQ(maps(), 2);
    ASSERT_EQ(stack_take(128 * KIB, &again), 0);
    EXPECT_EQ(maps(), 3);
}

PAL_TEST(stack, so_many_are_kept_and_no_more)
{
    static struct stack stacks[STACK_CACHE_COUNT + 1];

    ASSERT_EQ(os_page_size_init(), 0);
    for (int i = 0; i <= STACK_CACHE_COUNT; i++)
        ASSERT_EQ(stack_take(64 * KIB, &stacks[i]), 0);
    for (int i = 0; i <= STACK_CACHE_COUNT; i++)
        stack_give(stacks[i]);
    EXPECT_EQ(maps(), STACK_CACHE_COUNT + 1);
    for (int i = 0; i < STACK_CACHE_COUNT; i++)
        ASSERT_EQ(stack_take(64 * KIB, &stacks[i]), 0);
    EXPECT_EQ(maps(), STACK_CACHE_COUNT + 1);
    ASSERT_EQ(stack_take(64 * KIB, &stacks[STACK_CACHE_COUNT]), 0);
    EXPECT_EQ(maps(), STACK_CACHE_COUNT + 2);
}

PAL_TEST(stack, so_many_bytes_are_kept_and_no_more)
{
    const size_t third = STACK_CACHE_BYTES / 3;
    struct stack stacks[3];
    struct stack huge;

    ASSERT_EQ(os_page_size_init(), 0);
    for (int i = 0; i < 3; i++)
        ASSERT_EQ(stack_take(third, &stacks[i]), 0);
    for (int i = 0; i < 3; i++)
        stack_give(stacks[i]); /* the third displaces the first: there is a guard to each */
    EXPECT_EQ(maps(), 3);
    for (int i = 0; i < 2; i++)
        ASSERT_EQ(stack_take(third, &stacks[i]), 0);
    EXPECT_EQ(maps(), 3);
    ASSERT_EQ(stack_take(third, &stacks[2]), 0);
    EXPECT_EQ(maps(), 4);

    stack_give(stacks[2]);
    ASSERT_EQ(stack_take(STACK_CACHE_BYTES, &huge), 0);
    EXPECT_EQ(maps(), 5);
    stack_give(huge); /* too large to be kept, and no reason to drop what is */
    ASSERT_EQ(stack_take(third, &stacks[2]), 0);
    EXPECT_EQ(maps(), 5);
}

PAL_TEST(stack, cached_ones_can_be_dropped)
{
    struct stack stack;

    ASSERT_EQ(os_page_size_init(), 0);
    ASSERT_EQ(stack_take(64 * KIB, &stack), 0);
    stack_give(stack);
    stack_drop_cached();
    ASSERT_EQ(stack_take(64 * KIB, &stack), 0);
    EXPECT_EQ(maps(), 2);
}

PAL_TEST(stack, failure_of_the_mapping_is_told)
{
    struct stack stack;

    ASSERT_EQ(os_page_size_init(), 0);
    kit_fault(OS_CALL_STACK_MAP, 0, 1, EPERM);
    EXPECT_EQ(stack_take(64 * KIB, &stack), -EPERM);
}
