/* SPDX-License-Identifier: MIT */
/* The kit's side of fault injection; os_fault is called as the library calls it. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>

#include "child.h"
#include "fault.h"
#include "test.h"

PAL_TEST(kit_fault, fails_after_skip_for_count)
{
    kit_fault(OS_CALL_MMAP, 2, 2, ENOMEM);
    EXPECT_EQ(os_fault(OS_CALL_MMAP), 0);
    EXPECT_EQ(os_fault(OS_CALL_MPROTECT), 0);
    EXPECT_EQ(os_fault(OS_CALL_MMAP), 0);
    EXPECT_EQ(os_fault(OS_CALL_MMAP), -ENOMEM);
    EXPECT_EQ(os_fault(OS_CALL_MMAP), -ENOMEM);
    EXPECT_EQ(os_fault(OS_CALL_MMAP), 0);
    EXPECT_EQ(kit_fault_calls(OS_CALL_MMAP), 5);
    EXPECT_EQ(kit_fault_calls(OS_CALL_MPROTECT), 1);
}

PAL_TEST(kit_fault, forever_until_cleared)
{
    kit_fault(OS_CALL_THREAD_START, 0, KIT_FOREVER, EAGAIN);
    for (int i = 0; i < 100; i++) {
        EXPECT_EQ(os_fault(OS_CALL_THREAD_START), -EAGAIN);
    }
    kit_fault_clear();
    EXPECT_EQ(os_fault(OS_CALL_THREAD_START), 0);
    EXPECT_EQ(kit_fault_calls(OS_CALL_THREAD_START), 1);
}

static struct kit_child_result run_again(const char *filter, char *order)
{
    char *const argv[] = {(char *)"/proc/self/exe", (char *)filter, (char *)filter, NULL};
    char *const extra[] = {order, NULL};
    return kit_run_program(argv, extra);
}

PAL_TEST(kit_fault, takes_orders_from_the_environment)
{
    const char *order = getenv("PAL_TEST_FAULT");
    if (order == NULL) {
        char text[] = "PAL_TEST_FAULT=eventfd:1:1:24,mmap:0:forever:12";
        char filter[] = "--filter=kit_fault.takes_orders_from_the_environment";
        /* This same test, under whichever runner this is. */
        char gtest_filter[] = "--gtest_filter=kit_fault.takes_orders_from_the_environment";
        struct kit_child_result result = run_again(gtest_filter, text);
        if (result.exit_code == 2) {
            result = run_again(filter, text);
        }
        EXPECT_CHILD_OK(result);
        return;
    }
    EXPECT_EQ(os_fault(OS_CALL_EVENTFD), 0);
    EXPECT_EQ(os_fault(OS_CALL_EVENTFD), -EMFILE);
    EXPECT_EQ(os_fault(OS_CALL_EVENTFD), 0);
    EXPECT_EQ(os_fault(OS_CALL_MMAP), -ENOMEM);
}

PAL_TEST(kit_fault, a_misspelt_order_ends_the_process)
{
    char text[] = "PAL_TEST_FAULT=evenfd:1:1:24";
    char option[] = "--help";
    const struct kit_child_result result = run_again(option, text);
    EXPECT_NE(result.exit_code, 0);
    EXPECT_STRHAS(result.output, "PAL_TEST_FAULT: bad part: evenfd\n");
}
