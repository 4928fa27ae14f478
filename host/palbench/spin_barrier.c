/* SPDX-License-Identifier: MIT */
#include "spin_barrier.h"

#include <sched.h>

void spin_barrier_init(struct spin_barrier *barrier, size_t parties)
{
    barrier->parties = parties;
    atomic_init(&barrier->arrived, 0);
    atomic_init(&barrier->sense, false);
}

void spin_barrier_wait(struct spin_barrier *barrier)
{
    /* It cannot change before this thread has arrived. */
    bool sense = atomic_load_explicit(&barrier->sense, memory_order_relaxed);
    /* Releases what this thread did to the last one to arrive, which acquires it. */
    size_t before = atomic_fetch_add_explicit(&barrier->arrived, 1, memory_order_acq_rel);

    if (before + 1 == barrier->parties) {
        atomic_store_explicit(&barrier->arrived, 0, memory_order_relaxed);
        /* Pairs with the load below: the next round starts with the counter at 0. */
        atomic_store_explicit(&barrier->sense, !sense, memory_order_release);
        return;
    }
    /* Pairs with the store above. */
    while (atomic_load_explicit(&barrier->sense, memory_order_acquire) == sense)
        (void)sched_yield();
}
