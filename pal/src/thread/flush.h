/* SPDX-License-Identifier: MIT */
/* The process-wide barrier, by the method that was chosen for this process. */
#ifndef THREAD_FLUSH_H
#define THREAD_FLUSH_H

#include <pal/flush.h>
#include <pal/init.h>
#include <stdbool.h>

/*
 * Finds out what the machine offers and chooses a method.
 *
 * wish: a PAL_FLUSH_METHOD or FLUSH_WISH_AUTO.
 * threads: whether other threads are alive. When they are or may be, the registration is put off to
 *          the first flush.
 * register_now: register on this thread whatever the threads.
 * Returns 0 or -errno; then nothing is left behind. Init lock.
 */
int flush_init(int wish, PAL_THREADS threads, bool register_now);

/* Waits for a registration under way on a thread of our own, and forgets the choice. Init lock. */
void flush_fini(void);

/* The barrier. False: no method has been chosen, and nothing was flushed. */
bool flush_process_write_buffers(void);

/* False: no method has been chosen. */
bool flush_get_info(PAL_FLUSH_INFO *ret_info);

/* The name that PAL_FLUSH takes for a method, or NULL. */
const char *flush_method_name(PAL_FLUSH_METHOD method);

/* Around fork: the flush lock, and in the child what fork does not hand on. */
void flush_before_fork(void);
void flush_after_fork_in_parent(void);
void flush_after_fork_in_child(void);

#endif
