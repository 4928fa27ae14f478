/* SPDX-License-Identifier: MIT */
#include <pal.h>
#include <time.h>

#include "kit/test.h"

static LONGLONG now(void)
{
    struct timespec time;

    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

PAL_TEST(time, counter_is_the_monotonic_clock)
{
    LARGE_INTEGER counter;

    SetLastError(4711);
    for (int i = 0; i < 1000; i++) {
        LONGLONG before = now();
        ASSERT_EQ(QueryPerformanceCounter(&counter), TRUE);
        LONGLONG after = now();
        ASSERT_LE(before, counter.QuadPart);
        ASSERT_LE(counter.QuadPart, after);
    }
    EXPECT_EQ(GetLastError(), 4711u);
}

PAL_TEST(time, frequency_is_a_billion)
{
    LARGE_INTEGER frequency;

    SetLastError(4711);
    ASSERT_EQ(QueryPerformanceFrequency(&frequency), TRUE);
    EXPECT_EQ(frequency.QuadPart, 1000000000);
    EXPECT_EQ(frequency.u.LowPart, 1000000000u);
    EXPECT_EQ(frequency.u.HighPart, 0);
    EXPECT_EQ(GetLastError(), 4711u);
}

PAL_TEST(time, null_is_an_error)
{
    EXPECT_EQ(QueryPerformanceCounter(NULL), FALSE);
    EXPECT_EQ(GetLastError(), (DWORD)ERROR_INVALID_PARAMETER);
    SetLastError(4711);
    EXPECT_EQ(QueryPerformanceFrequency(NULL), FALSE);
    EXPECT_EQ(GetLastError(), (DWORD)ERROR_INVALID_PARAMETER);
}

PAL_TEST(time, tick_count_is_the_counter_in_milliseconds)
{
    SetLastError(4711);
    for (int i = 0; i < 1000; i++) {
        LONGLONG before = now();
        ULONGLONG ticks = GetTickCount64();
        LONGLONG after = now();
        ASSERT_LE(before / 1000000, ticks);
        ASSERT_LE(ticks, after / 1000000);
    }
    EXPECT_EQ(GetLastError(), 4711u);
}

PAL_TEST(time, tick_count_is_the_low_half)
{
    for (int i = 0; i < 1000; i++) {
        ULONGLONG before = GetTickCount64();
        DWORD ticks = GetTickCount();
        DWORD passed = (DWORD)GetTickCount64() - (DWORD)before;
        ASSERT_LE(ticks - (DWORD)before, passed); /* also where it starts again */
    }
}
