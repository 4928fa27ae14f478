/* SPDX-License-Identifier: MIT */
/* How often something is repeated that has to be over in time. */
#ifndef PALBENCH_PACE_H
#define PALBENCH_PACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pace {
    size_t planned;
    uint64_t deadline_ns; /* on the monotonic clock */
    size_t begun;
    uint64_t begin_ns; /* of the last one */
    uint64_t longest_ns;
};

/*
 * Whether to go once more: as often as planned, and, after the first time, only when that would be
 * over by the deadline, going by the longest so far.
 */
bool pace_again(struct pace *pace);

#endif
