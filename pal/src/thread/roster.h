/* SPDX-License-Identifier: MIT */
/* The threads lock, and the records of all live threads. */
#ifndef THREAD_ROSTER_H
#define THREAD_ROSTER_H

#include <stdbool.h>

struct thread;

void threads_lock(void);
void threads_unlock(void);

/* With the threads lock held. The newest thread, which leads to the others by `next`. */
struct thread *roster_first(void);
void roster_add(struct thread *thread);
void roster_remove(struct thread *thread);

#endif
