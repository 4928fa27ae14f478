/* SPDX-License-Identifier: MIT */
/* One thing that `palbench spawn` measures, and its times on either side. */
#ifndef PALBENCH_SPAWN_CASE_H
#define PALBENCH_SPAWN_CASE_H

#include "ratio.h"
#include "samples.h"
#include "spawn_impls.h"

#define SPAWN_NAME_SIZE 24

struct spawn_figures {
    struct samples ns;            /* of each run */
    struct samples block_medians; /* runs of a block resemble each other: intervals go by blocks */
};

struct spawn_case {
    char name[SPAWN_NAME_SIZE];
    const char *unit; /* of the JSON */
    double unit_ns;
    double limit;   /* what the ratio of the PAL to bare pthreads is to be at most */
    size_t threads; /* of a run */
    size_t rounds;  /* of barriers in a run; 0 where there are none */
    struct spawn_figures figures[SPAWN_IMPL_COUNT];
};

/* A block of runs has been added to the figures' ns, from the place `first` on. */
void spawn_case_end_block(struct spawn_case *spawn_case, enum spawn_impl_id impl, size_t first);
/* A run that is a block of its own. */
void spawn_case_add(struct spawn_case *spawn_case, enum spawn_impl_id impl, double ns);
void spawn_case_free(struct spawn_case *spawn_case);

struct ratio spawn_case_ratio(const struct spawn_case *spawn_case);

/* Where the interval lies: "below" the limit, "above" it as a whole, or "around" it. */
const char *spawn_case_answer(const struct spawn_case *spawn_case, const struct ratio *ratio);

/* The median of a run for each thread and round of barriers. */
double spawn_case_share_ns(const struct spawn_case *spawn_case, enum spawn_impl_id impl);

#endif
