/* SPDX-License-Identifier: MIT */
/* Times flushes in one process, the impls interleaved in small blocks. */
#ifndef PALBENCH_FLUSH_MEASURE_H
#define PALBENCH_FLUSH_MEASURE_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

#include "flush_impls.h"
#include "samples.h"

struct flush_case {
    const char *name;
    size_t spinning; /* other threads */
    size_t sleeping;
};

struct flush_plan {
    bool wanted[IMPL_COUNT];
    size_t rounds;     /* of one block of each impl */
    uint64_t limit_ns; /* for the case; at least one round is made */
    double timer_ns;   /* that timing itself adds to a call, and that is taken off */
    cpu_set_t cpus;
};

struct flush_figures {
    struct samples ns;            /* of each call; at least 1 */
    struct samples block_medians; /* calls of a block resemble each other: intervals go by blocks */
};

/* The median time of nothing, between two looks at the clock. */
double flush_measure_timer(void);

void flush_measure(const struct flush_case *flush_case, const struct flush_plan *plan,
                   struct flush_figures figures[IMPL_COUNT]);

#endif
