/* SPDX-License-Identifier: MIT */
#include "os/clock.h"

#include <errno.h>
#include <time.h>

#include "os/fault.h"

int os_clock_init(void)
{
    int error = os_fault(OS_CALL_CLOCK);
    if (error)
        return error;

    struct timespec now;
    return clock_gettime(CLOCK_MONOTONIC, &now) == 0 ? 0 : -errno;
}

uint64_t os_clock_ns(void)
{
    struct timespec now;

    if (clock_gettime(CLOCK_MONOTONIC, &now) != 0)
        return 0;
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t os_clock_filetime(void)
{
    const uint64_t seconds_from_1601_to_1970 = 11644473600u;
    struct timespec now;

    if (clock_gettime(CLOCK_REALTIME, &now) != 0)
        return 0;
    return ((uint64_t)now.tv_sec + seconds_from_1601_to_1970) * 10000000u +
           (uint64_t)now.tv_nsec / 100u;
}

void os_clock_sleep(uint64_t duration_ns)
{
    uint64_t until_ns = os_clock_ns() + duration_ns;
    struct timespec until = {
        .tv_sec = (time_t)(until_ns / 1000000000u),
        .tv_nsec = (long)(until_ns % 1000000000u),
    };

    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
        continue;
}
