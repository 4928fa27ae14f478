/* SPDX-License-Identifier: MIT */
/* A barrier whose waiters spin on sched_yield: a counter, and a sense that each round reverses. */
#ifndef PALBENCH_SPIN_BARRIER_H
#define PALBENCH_SPIN_BARRIER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct spin_barrier {
    size_t parties;
    atomic_size_t arrived;
    atomic_bool sense;
};

/* parties > 0 */
void spin_barrier_init(struct spin_barrier *barrier, size_t parties);

/* Returns once all parties have called it. What they did before happens before the return. */
void spin_barrier_wait(struct spin_barrier *barrier);

#endif
