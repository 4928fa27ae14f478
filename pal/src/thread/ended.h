/* SPDX-License-Identifier: MIT */
/*
 * Threads that have ended and whose kernel thread may still be on its way out: only when that is
 * gone may the stack be used again and the record go.
 */
#ifndef THREAD_ENDED_H
#define THREAD_ENDED_H

struct thread;

/* How many may wait to be looked at. */
#define ENDED_LIMIT 64

/* With the threads lock held. The thread's own reference is the list's from now on. */
void ended_add(struct thread *thread);

/* Puts away those that are gone, if there are more than `limit`. Without the threads lock. */
void ended_collect(unsigned limit);

/* Puts all away, waiting a little for the last ones. What does not go in that time stays. */
void ended_collect_all(void);

/* In the child of a fork: all are gone. */
void ended_after_fork_in_child(void);

#endif
