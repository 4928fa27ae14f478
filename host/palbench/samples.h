/* SPDX-License-Identifier: MIT */
/* A growing list of measurements, and what is said about one. */
#ifndef PALBENCH_SAMPLES_H
#define PALBENCH_SAMPLES_H

#include <stddef.h>

/* In the order taken. All zero is an empty list. */
struct samples {
    double *values;
    size_t count;
    size_t capacity;
};

struct samples_stats {
    double min;
    double median;
    double p95;
    double p99;
    double max;
    double mean;
    double stddev; /* of the sample; 0 for a single value */
};

/* Ends the program when memory runs out. */
void samples_add(struct samples *samples, double value);
void samples_free(struct samples *samples);

/* A sorted copy of count values, to be freed. Ends the program when memory runs out. */
double *samples_sorted(const double *values, size_t count);

/* The value below which a share (0 to 1) of the sorted values lies; between two values, by weight.
 */
double samples_quantile(const double *sorted, size_t count, double share);

/* The mean without the lowest and the highest tenth: moved by a second mode, not by an outlier. */
double samples_trimmed_mean(const double *sorted, size_t count);

/* count > 0 */
struct samples_stats samples_stats(const double *values, size_t count);

#endif
