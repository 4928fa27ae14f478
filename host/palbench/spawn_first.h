/* SPDX-License-Identifier: MIT */
/* What the first thread of a process costs. Each run is a fresh process, which tells the time. */
#ifndef PALBENCH_SPAWN_FIRST_H
#define PALBENCH_SPAWN_FIRST_H

#include <stdint.h>

#include "spawn_case.h"

struct spawn_first_plan {
    const char *path;     /* of palfirst */
    size_t warmup;        /* runs on either side whose times are dropped */
    size_t runs;          /* on either side */
    uint64_t deadline_ns; /* on the monotonic clock; one run is made all the same */
};

/* Ends the program when a run fails. */
void spawn_first(const struct spawn_first_plan *plan, struct spawn_case *ret_case);

#endif
