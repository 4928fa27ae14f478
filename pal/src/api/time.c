/* SPDX-License-Identifier: MIT */
#include <pal/error.h>
#include <pal/time.h>

#include "os/clock.h"

#define TICKS_PER_SECOND 1000000000
#define TICKS_PER_MILLISECOND 1000000u

static BOOL give(LARGE_INTEGER *to, LONGLONG value)
{
    if (!to) {
        SetLastError(ERROR_INVALID_PARAMETER);
        return FALSE;
    }
    to->QuadPart = value;
    return TRUE;
}

BOOL QueryPerformanceCounter(LARGE_INTEGER *lpPerformanceCount)
{
    return give(lpPerformanceCount, (LONGLONG)os_clock_ns());
}

BOOL QueryPerformanceFrequency(LARGE_INTEGER *lpFrequency)
{
    return give(lpFrequency, TICKS_PER_SECOND);
}

ULONGLONG GetTickCount64(VOID)
{
    return os_clock_ns() / TICKS_PER_MILLISECOND;
}

DWORD GetTickCount(VOID)
{
    return (DWORD)GetTickCount64();
}
