/* SPDX-License-Identifier: MIT */
/* The CPU time of threads, in units of 100 ns. */
#ifndef OS_THREAD_TIMES_H
#define OS_THREAD_TIMES_H

#include <stdint.h>

/* Of the calling thread. */
void os_thread_times_self(uint64_t *ret_kernel, uint64_t *ret_user);

/* Of a live thread of this process; 0 where the system does not tell. */
void os_thread_times(uint32_t tid, uint64_t *ret_kernel, uint64_t *ret_user);

#endif
