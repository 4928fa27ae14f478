/* SPDX-License-Identifier: MIT */
/* What it costs to create a thread that has nothing to do and to join it, again and again. */
#ifndef PALBENCH_SPAWN_CREATE_H
#define PALBENCH_SPAWN_CREATE_H

#include <stdint.h>

#include "spawn_case.h"

#define SPAWN_CREATE_CASES 4

struct spawn_create_plan {
    size_t rounds;        /* of one block of each case on either side */
    uint64_t deadline_ns; /* on the monotonic clock; one round is made all the same */
};

/* One thread after the other with each size of stack, and batches, whose times are a thread's. */
void spawn_create(const struct spawn_create_plan *plan,
                  struct spawn_case cases[SPAWN_CREATE_CASES]);

#endif
