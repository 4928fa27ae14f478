/* SPDX-License-Identifier: MIT */
/* The slots of TlsAlloc. */
#ifndef THREAD_TLS_H
#define THREAD_TLS_H

#include <pal/thread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "object/handle.h"

#define TLS_FIRST_SLOTS 64  /* in the record */
#define TLS_MORE_SLOTS 1024 /* allocated when one of them is set */
#define TLS_ALL_SLOTS (TLS_FIRST_SLOTS + TLS_MORE_SLOTS)

/*
 * A thread's values. Its own to read and write; TlsFree clears a slot in every thread, so each is
 * atomic. Relaxed: what a value points to is nobody's but the thread's that set it.
 */
struct tls_slots {
    void *_Atomic first[TLS_FIRST_SLOTS];
    void *_Atomic *_Atomic more; /* owner; NULL, or TLS_MORE_SLOTS */
};

struct thread;

/* An index, or TLS_OUT_OF_INDEXES. */
DWORD tls_alloc(void);

/* Whether it was allocated; then it is free, and NULL in every thread. */
bool tls_free(DWORD index);

bool tls_is_allocated(DWORD index);
void *tls_get(struct thread *thread, DWORD index);
PAL_ERROR tls_set(struct thread *thread, DWORD index, void *value);

/* At the thread's end, off the roster. */
void tls_release(struct thread *thread);

#endif
