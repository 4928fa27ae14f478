/* SPDX-License-Identifier: MIT */
/*
 * The barriers of `palbench spawn`: 1, 2, 4, ... threads are created, meet in spin barriers, and
 * are joined, on either side with the same code in between.
 */
#ifndef PALBENCH_SPAWN_SWEEP_H
#define PALBENCH_SPAWN_SWEEP_H

#include <stdint.h>

#include "spawn_case.h"

#define SPAWN_THREADS_MOST 1024
#define SPAWN_SWEEP_CASES_MOST 22 /* two for each power of two up to that */

struct spawn_sweep_plan {
    size_t most_threads;
    size_t rounds;        /* of barriers in a run; fewer where that would take too long */
    size_t runs;          /* of each case on either side */
    uint64_t deadline_ns; /* on the monotonic clock; past it, one run is made of what is left */
};

/*
 * yield-N and barrier-N for each count in turn. Their runs on both sides are interleaved and have
 * the same number of rounds. Returns the number of cases filled in.
 */
size_t spawn_sweep(const struct spawn_sweep_plan *plan,
                   struct spawn_case cases[SPAWN_SWEEP_CASES_MOST]);

#endif
