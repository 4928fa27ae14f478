/* SPDX-License-Identifier: MIT */
/* How many rounds of barriers the runs of a count of threads get. */
#ifndef PALBENCH_SPAWN_ROUNDS_H
#define PALBENCH_SPAWN_ROUNDS_H

#include <stddef.h>

/*
 * The part of the time left that `threads` gets, when it and its doubles up to `most` are still to
 * be measured. It grows with the count, and leaves the smallest enough to get all their rounds.
 */
double spawn_rounds_share(size_t threads, size_t most);

/* What was seen of a lap: one run of everything that is compared. */
struct spawn_lap {
    double one_ns;  /* with a single round of barriers */
    double some_ns; /* with some_rounds, more than one */
    size_t some_rounds;
};

/*
 * The rounds, at most those planned, with which so many laps fit into the time; rounded down to one
 * significant digit, so that small differences of speed give the same number. At least 1.
 */
size_t spawn_rounds_that_fit(const struct spawn_lap *lap, size_t planned, size_t laps,
                             double budget_ns);

#endif
