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
