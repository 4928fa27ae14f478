/* SPDX-License-Identifier: MIT */
/*
 * The mprotect trick: to take the access rights of a page that was just written, the kernel must
 * remove it from the TLB of every processor that runs a thread of this process, and where that
 * takes an interrupt, the interrupt is a barrier (flush_mprotect_is_sound).
 *
 * Not thread-safe: the flush lock covers every call.
 */
#ifndef THREAD_FLUSH_PAGE_H
#define THREAD_FLUSH_PAGE_H

#include <stdbool.h>

/* Maps the page unless it is there. Returns 0 or -errno. */
int flush_page_open(void);
void flush_page_close(void);

/*
 * Locks the page into memory, so that it cannot be evicted between the write and the loss of its
 * rights, which would leave nothing to invalidate. Harmless where it is refused.
 */
void flush_page_lock(void);
bool flush_page_is_locked(void);

/* In a child of fork, which does not inherit the lock. */
void flush_page_relock(void);

/* The barrier. Returns 0 or -errno; then nothing was flushed. */
int flush_page_flush(void);

#endif
