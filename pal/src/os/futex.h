/* SPDX-License-Identifier: MIT */
/* futex(2) on words of this process. */
#ifndef OS_FUTEX_H
#define OS_FUTEX_H

#include <stdatomic.h>
#include <stdint.h>

/* No deadline. */
#define OS_FOREVER UINT64_MAX

/*
 * Sleeps while *word == expected, until woken or until CLOCK_MONOTONIC reads deadline_ns. Returns 0
 * (woken, perhaps for no reason), or -EAGAIN (the word was different), -EINTR, -ETIMEDOUT; any
 * other -errno is one that the kernel does not document for this call. Linux 2.6.28.
 */
int os_futex_wait(_Atomic uint32_t *word, uint32_t expected, uint64_t deadline_ns);

void os_futex_wake_all(_Atomic uint32_t *word);

#endif
