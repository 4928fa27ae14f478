/* SPDX-License-Identifier: MIT */
/* A program with a large block of thread-local data, which libc takes off each thread's stack. */
#include <pal.h>

#include "kit/test.h"

static _Thread_local volatile char large[512 * 1024];

PAL_TEST(large_tls, worker_starts)
{
    large[0] = 1;
    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    FlushProcessWriteBuffers();
    PAL_Terminate();
}
