/* SPDX-License-Identifier: MIT */
#ifndef PALBENCH_CLOCK_H
#define PALBENCH_CLOCK_H

#include <stdint.h>
#include <time.h>

#define NS_PER_S 1000000000u

static inline uint64_t clock_now_ns(void)
{
    struct timespec now;

    /* Cannot fail: Linux has had the monotonic clock since 2.6. */
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

#endif
