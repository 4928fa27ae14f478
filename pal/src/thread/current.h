/* SPDX-License-Identifier: MIT */
/* The calling thread's record. */
#ifndef THREAD_CURRENT_H
#define THREAD_CURRENT_H

#include "thread/thread.h"

/* Makes records possible. Returns 0 or -errno. Init lock. */
int current_init(void);

/*
 * Detaches the caller, if it is foreign. Records stay possible while any other thread has one.
 * Init lock.
 */
void current_fini(void);

/* The caller's record, if it has one. */
struct thread *current_peek(void);

/* The caller's record, which is made if need be: ERROR_NOT_READY, ERROR_NOT_ENOUGH_MEMORY. */
PAL_ERROR current_get(struct thread **ret_thread);

/* With the threads lock held: whether threads may have records. */
bool current_is_ready(void);

/* The caller runs the thread of this record, until its end. */
void current_adopt(struct thread *thread);

/* The kernel's id of the caller. */
DWORD current_id(void);

/* In the child of a fork: the caller has a new id. */
void current_after_fork_in_child(void);

#endif
