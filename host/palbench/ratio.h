/* SPDX-License-Identifier: MIT */
/* How many times one list of measurements is another, and how sure that is. */
#ifndef PALBENCH_RATIO_H
#define PALBENCH_RATIO_H

#include "samples.h"

/* The ratio and its 95 % interval by bootstrap. The generator has a fixed seed: the same
 * measurements give the same interval. */
struct ratio {
    double value;
    double low;
    double high;
};

/* Both lists hold at least one value, and their values are above 0. */
struct ratio ratio_of_medians(const struct samples *numerator, const struct samples *denominator);
struct ratio ratio_of_trimmed_means(const struct samples *numerator,
                                    const struct samples *denominator);

#endif
