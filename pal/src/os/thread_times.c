/* SPDX-License-Identifier: MIT */
#include "os/thread_times.h"

#include <sys/resource.h>
#include <time.h>

static uint64_t of_timeval(struct timeval time)
{
    return (uint64_t)time.tv_sec * 10000000u + (uint64_t)time.tv_usec * 10u;
}

/* One call where the clocks below take three: every thread makes it at its end. */
void os_thread_times_self(uint64_t *ret_kernel, uint64_t *ret_user)
{
    struct rusage usage = {0};

    (void)getrusage(RUSAGE_THREAD, &usage);
    *ret_kernel = of_timeval(usage.ru_stime);
    *ret_user = of_timeval(usage.ru_utime);
}

/* The kernel's clocks of a thread: its id, inverted, and which; clock_getcpuclockid(3) hides them.
 */
enum { CLOCK_BOTH_IN_TICKS = 0, CLOCK_USER_IN_TICKS = 1, CLOCK_BOTH_EXACT = 2 };

static uint64_t clock_of(uint32_t tid, unsigned which)
{
    const unsigned per_thread = 4;
    struct timespec time;

    if (clock_gettime((clockid_t)((~tid << 3) | per_thread | which), &time) != 0)
        return 0;
    return (uint64_t)time.tv_sec * 10000000u + (uint64_t)time.tv_nsec / 100u;
}

void os_thread_times(uint32_t tid, uint64_t *ret_kernel, uint64_t *ret_user)
{
    uint64_t user = clock_of(tid, CLOCK_USER_IN_TICKS);
    uint64_t both = clock_of(tid, CLOCK_BOTH_IN_TICKS);
    uint64_t total = clock_of(tid, CLOCK_BOTH_EXACT);

    /* The exact sum, divided as the ticks are. */
    *ret_user =
        both > 0 && user < both ? (uint64_t)((double)total * (double)user / (double)both) : total;
    *ret_kernel = total - *ret_user;
}
