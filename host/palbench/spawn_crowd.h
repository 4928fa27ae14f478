/* SPDX-License-Identifier: MIT */
/* Threads that are created, meet in spin barriers, and are joined. */
#ifndef PALBENCH_SPAWN_CROWD_H
#define PALBENCH_SPAWN_CROWD_H

#include <stdbool.h>

#include "spawn_impls.h"

struct spawn_crowd {
    size_t threads;
    size_t rounds; /* of spin barriers that all meet in */
    bool gated;    /* all wait in a pthread_barrier first, and so do not spin during creation */
};

/*
 * From before the first thread is created until the last is joined. threads: room for all of them.
 * Ends the program when a thread cannot be had.
 */
double spawn_crowd_ns(const struct spawn_crowd *crowd, const struct spawn_impl *impl,
                      const struct spawn_stack *stack, union spawn_thread *threads);

#endif
