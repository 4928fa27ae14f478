/* SPDX-License-Identifier: MIT */
/* Runs the programs of `palbench startup` and keeps their times. */
#ifndef PALBENCH_STARTUP_RUN_H
#define PALBENCH_STARTUP_RUN_H

#include <stdint.h>

#include "startup_rows.h"

struct startup_plan {
    size_t warmup;     /* rounds whose times are dropped */
    size_t rounds;     /* of one run of each row */
    uint64_t limit_ns; /* for everything together; 0: none */
};

/*
 * Fills in wall_ns, user_s and system_s of each row, then, by runs of their own, init_ns of the PAL
 * rows and of the floor. Fewer rounds are made than planned when they would exceed the limit, at
 * least one of each kind. Ends the program when a run fails.
 */
void startup_run(struct startup_rows *rows, const struct startup_plan *plan);

#endif
