/* SPDX-License-Identifier: MIT */
/* Small histograms, one line each, over one logarithmic axis. */
#ifndef PALBENCH_HISTOGRAM_H
#define PALBENCH_HISTOGRAM_H

#include "samples.h"

#define HISTOGRAM_BINS 64
#define HISTOGRAM_TEXT_SIZE (3 * HISTOGRAM_BINS + 1) /* a block is three bytes in UTF-8 */

struct histogram_axis {
    double least;
    double most;
};

/* Widens the axis, all zero at first, so that the samples fit on it. Their values are above 0. */
void histogram_fit(struct histogram_axis *axis, const struct samples *samples);

/* One character a bin; the fullest bin of the line has the highest. */
void histogram_draw(const struct histogram_axis *axis, const struct samples *samples,
                    char text[HISTOGRAM_TEXT_SIZE]);

#endif
