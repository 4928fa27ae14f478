/* SPDX-License-Identifier: MIT */
/* A program with a large block of thread-local data, which libc takes off each thread's stack. */
#include <pal.h>

#include "contract/threads.h"
#include "kit/test.h"

enum { LARGE = 512 * 1024 };

static _Thread_local volatile char large[LARGE];

PAL_TEST(large_tls, worker_starts)
{
    large[0] = 1;
    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    FlushProcessWriteBuffers();
    PAL_Terminate();
}

/* Counts what is not zero, as it has to be on a stack that was used before, and spoils it. */
static int use_block(void)
{
    int used = 0;

    for (int i = 0; i < LARGE; i++) {
        used += large[i] != 0;
        large[i] = 1;
    }
    return used;
}

static DWORD PALAPI use_block_and_stack(LPVOID size)
{
    touch_stack(*(size_t *)size - stack_slack);
    return (DWORD)use_block();
}

/* The first one's stack is the second one's. */
PAL_TEST(large_tls, threads_have_the_stack_that_they_asked_for)
{
    const size_t requests[] = {1, 64 * 1024, 64 * 1024, 256 * 1024, 64 * 1024, 0, 0};

    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    for (int i = 0; i < 7; i++) {
        size_t usable = requests[i] == 0 ? 1536 * 1024 : requests[i] == 1 ? 64 * 1024 : requests[i];
        HANDLE thread = CreateThread(NULL, requests[i], use_block_and_stack, &usable, 0, NULL);
        ASSERT_NE(thread, NULL);
        EXPECT_EQ(thread_finish(thread), 0u);
    }
    PAL_Terminate();
}

static DWORD PALAPI is_within_limits(LPVOID unused)
{
    ULONG_PTR low = 0;
    ULONG_PTR high = 0;
    volatile char here = 0;

    (void)unused;
    GetCurrentThreadStackLimits(&low, &high);
    return low <= (ULONG_PTR)&here && (ULONG_PTR)&here < high;
}

PAL_TEST(large_tls, stack_limits)
{
    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    HANDLE thread = CreateThread(NULL, 64 * 1024, is_within_limits, NULL, 0, NULL);
    ASSERT_NE(thread, NULL);
    EXPECT_EQ(thread_finish(thread), 1u);
    PAL_Terminate();
}
