/* SPDX-License-Identifier: MIT */
#include "thread/tls.h"

#include <stdlib.h>

#include "thread/roster.h"
#include "thread/thread.h"

#define BITS 64
#define WORDS (TLS_ALL_SLOTS / BITS)

_Static_assert(TLS_ALL_SLOTS % BITS == 0, "the last word is whole");

/* Threads lock to change. Relaxed: an index reaches other threads by the host's own means. */
static _Atomic uint64_t allocated[WORDS];

static uint64_t bit_of(DWORD index)
{
    return UINT64_C(1) << (index % BITS);
}

bool tls_is_allocated(DWORD index)
{
    return index < TLS_ALL_SLOTS &&
           (atomic_load_explicit(&allocated[index / BITS], memory_order_relaxed) & bit_of(index)) !=
               0;
}

DWORD tls_alloc(void)
{
    DWORD index = 0;

    threads_lock();
    while (tls_is_allocated(index))
        index++;
    if (index < TLS_ALL_SLOTS)
        atomic_fetch_or_explicit(&allocated[index / BITS], bit_of(index), memory_order_relaxed);
    threads_unlock();
    return index < TLS_ALL_SLOTS ? index : TLS_OUT_OF_INDEXES;
}

/* NULL: the thread has no memory for that slot yet, and so no value. */
static void *_Atomic *slot_of(struct thread *thread, DWORD index)
{
    if (index < TLS_FIRST_SLOTS)
        return &thread->slots.first[index];
    /* Acquire: pairs with have_more, for TlsFree in another thread. */
    void *_Atomic *more = atomic_load_explicit(&thread->slots.more, memory_order_acquire);
    return more ? &more[index - TLS_FIRST_SLOTS] : NULL;
}

bool tls_free(DWORD index)
{
    threads_lock();
    bool was_allocated = tls_is_allocated(index);
    if (was_allocated) {
        for (struct thread *thread = roster_first(); thread; thread = thread->next) {
            void *_Atomic *slot = slot_of(thread, index);
            if (slot)
                atomic_store_explicit(slot, NULL, memory_order_relaxed);
        }
        atomic_fetch_and_explicit(&allocated[index / BITS], ~bit_of(index), memory_order_relaxed);
    }
    threads_unlock();
    return was_allocated;
}

void *tls_get(struct thread *thread, DWORD index)
{
    void *_Atomic *slot = slot_of(thread, index);
    return slot ? atomic_load_explicit(slot, memory_order_relaxed) : NULL;
}

static bool have_more(struct thread *thread)
{
    if (atomic_load_explicit(&thread->slots.more, memory_order_relaxed))
        return true;
    void *_Atomic *more = calloc(TLS_MORE_SLOTS, sizeof *more);
    if (!more)
        return false;
    atomic_store_explicit(&thread->slots.more, more, memory_order_release);
    return true;
}

PAL_ERROR tls_set(struct thread *thread, DWORD index, void *value)
{
    if (index >= TLS_FIRST_SLOTS && !have_more(thread))
        return ERROR_NOT_ENOUGH_MEMORY;
    atomic_store_explicit(slot_of(thread, index), value, memory_order_relaxed);
    return ERROR_SUCCESS;
}

void tls_release(struct thread *thread)
{
    void *_Atomic *more = atomic_load_explicit(&thread->slots.more, memory_order_relaxed);

    if (more)
        free((void *)more);
}
