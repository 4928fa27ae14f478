/* SPDX-License-Identifier: MIT */
/* Time that only goes forward. */
#ifndef OS_CLOCK_H
#define OS_CLOCK_H

#include <stdint.h>

/* Whether there is a monotonic clock: 0 or -errno. */
int os_clock_init(void);

/* CLOCK_MONOTONIC in nanoseconds; 0 where there is none. */
uint64_t os_clock_ns(void);

/* CLOCK_REALTIME in units of 100 ns since 1601-01-01, which is how a FILETIME counts. */
uint64_t os_clock_filetime(void);

/* Sleeps for so many nanoseconds at least, through signals. */
void os_clock_sleep(uint64_t duration_ns);

#endif
