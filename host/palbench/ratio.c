/* SPDX-License-Identifier: MIT */
#include "ratio.h"

#include <err.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "exit_code.h"

#define RESAMPLES 2000
#define TAIL 0.025

typedef double statistic(const double *sorted, size_t count);

/* A sorted list, and room for what is drawn from it. */
struct population {
    size_t count;
    double *sorted;
    double *drawn;
    uint32_t *times;
};

static struct population population_open(const struct samples *samples)
{
    struct population population = {
        .count = samples->count,
        .sorted = samples_sorted(samples->values, samples->count),
        .drawn = reallocarray(NULL, samples->count, sizeof(double)),
        .times = reallocarray(NULL, samples->count, sizeof(uint32_t)),
    };
    if (!population.drawn || !population.times)
        err(EXIT_INTERNAL, "cannot resample %zu measurements", samples->count);
    return population;
}

static void population_close(struct population *population)
{
    free(population->sorted);
    free(population->drawn);
    free(population->times);
}

/* Draws as many values as there are, each with replacement. Counting how often each was drawn
 * leaves the drawn ones sorted. */
static void draw(struct population *population, unsigned short generator[3])
{
    memset(population->times, 0, population->count * sizeof *population->times);
    for (size_t i = 0; i < population->count; i++)
        population->times[(size_t)nrand48(generator) % population->count]++;

    size_t filled = 0;
    for (size_t i = 0; i < population->count; i++)
        for (uint32_t j = 0; j < population->times[i]; j++)
            population->drawn[filled++] = population->sorted[i];
}

static struct ratio bootstrap(const struct samples *numerator, const struct samples *denominator,
                              statistic *of)
{
    unsigned short generator[3] = {0x7061, 0x6c62, 0x6368};
    struct population above = population_open(numerator);
    struct population below = population_open(denominator);
    double ratios[RESAMPLES];

    for (size_t i = 0; i < RESAMPLES; i++) {
        draw(&above, generator);
        draw(&below, generator);
        ratios[i] = of(above.drawn, above.count) / of(below.drawn, below.count);
    }
    double *sorted = samples_sorted(ratios, RESAMPLES);
    struct ratio ratio = {
        .value = of(above.sorted, above.count) / of(below.sorted, below.count),
        .low = samples_quantile(sorted, RESAMPLES, TAIL),
        .high = samples_quantile(sorted, RESAMPLES, 1 - TAIL),
    };
    free(sorted);
    population_close(&above);
    population_close(&below);
    return ratio;
}

static double median(const double *sorted, size_t count)
{
    return samples_quantile(sorted, count, 0.5);
}

struct ratio ratio_of_medians(const struct samples *numerator, const struct samples *denominator)
{
    return bootstrap(numerator, denominator, median);
}

struct ratio ratio_of_trimmed_means(const struct samples *numerator,
                                    const struct samples *denominator)
{
    return bootstrap(numerator, denominator, samples_trimmed_mean);
}
