/* SPDX-License-Identifier: MIT */
#include "samples.h"

#include <err.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "exit_code.h"

#define FIRST_CAPACITY 64
#define TRIM_DIVISOR 10

void samples_add(struct samples *samples, double value)
{
    if (samples->count == samples->capacity) {
        size_t capacity = samples->capacity ? 2 * samples->capacity : FIRST_CAPACITY;
        double *values = reallocarray(samples->values, capacity, sizeof *values);
        if (!values)
            err(EXIT_INTERNAL, "cannot keep %zu measurements", capacity);
        samples->values = values;
        samples->capacity = capacity;
    }
    samples->values[samples->count++] = value;
}

void samples_free(struct samples *samples)
{
    free(samples->values);
    *samples = (struct samples){0};
}

static int by_value(const void *left, const void *right)
{
    const double *a = left;
    const double *b = right;

    return (*a > *b) - (*a < *b);
}

double *samples_sorted(const double *values, size_t count)
{
    double *sorted = reallocarray(NULL, count, sizeof *sorted);
    if (!sorted)
        err(EXIT_INTERNAL, "cannot sort %zu measurements", count);
    memcpy(sorted, values, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_value);
    return sorted;
}

double samples_quantile(const double *sorted, size_t count, double share)
{
    double position = share * (double)(count - 1);
    size_t below = (size_t)position;
    size_t above = below + 1 < count ? below + 1 : below;

    return sorted[below] + (position - (double)below) * (sorted[above] - sorted[below]);
}

static double mean_of(const double *values, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += values[i];
    return sum / (double)count;
}

double samples_trimmed_mean(const double *sorted, size_t count)
{
    size_t trim = count / TRIM_DIVISOR;

    return mean_of(sorted + trim, count - 2 * trim);
}

struct samples_stats samples_stats(const double *values, size_t count)
{
    double *sorted = samples_sorted(values, count);
    double mean = mean_of(sorted, count);
    double squares = 0;

    for (size_t i = 0; i < count; i++)
        squares += (sorted[i] - mean) * (sorted[i] - mean);
    struct samples_stats stats = {
        .min = sorted[0],
        .median = samples_quantile(sorted, count, 0.5),
        .p95 = samples_quantile(sorted, count, 0.95),
        .p99 = samples_quantile(sorted, count, 0.99),
        .max = sorted[count - 1],
        .mean = mean,
        .stddev = count > 1 ? sqrt(squares / (double)(count - 1)) : 0,
    };
    free(sorted);
    return stats;
}
