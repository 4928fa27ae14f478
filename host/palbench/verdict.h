/* SPDX-License-Identifier: MIT */
/* Whether the wrong order of initialisation costs something on this machine. */
#ifndef PALBENCH_VERDICT_H
#define PALBENCH_VERDICT_H

#include <stdbool.h>

#include "ratio.h"

#define VERDICT_MIN_RUNS 5
#define VERDICT_THRESHOLD                                                                          \
    1.25 /* less is no difference worth the name: a grace period is tenfold                        \
          */

enum verdict_answer { VERDICT_SLOWER, VERDICT_NO_DIFFERENCE, VERDICT_CANNOT_TELL };

/* What has to be known besides the times. */
struct verdict_facts {
    unsigned cpus;       /* that the programs could run on */
    bool slow_path_seen; /* a late registration was slow in a program without the PAL */
};

struct verdict {
    enum verdict_answer answer;
    struct ratio ratio; /* of the trimmed means, late to early; all 0 when not looked at */
    double cost_ns;     /* by which the trimmed means differ */
    char reason[160];
};

/* Times in ns. A pure function. */
struct verdict verdict_decide(const struct samples *early, const struct samples *late,
                              struct verdict_facts facts);

/* Whether the whole interval of late to early lies above the threshold, which makes the fact
 * slow_path_seen of two rows without the PAL. */
bool verdict_clearly_slower(const struct samples *early, const struct samples *late);

/* "slower", "no difference" or "cannot tell" */
const char *verdict_name(enum verdict_answer answer);

#endif
