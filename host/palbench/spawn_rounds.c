/* SPDX-License-Identifier: MIT */
#include "spawn_rounds.h"

#include <math.h>

/* What a count costs, in threads, however few they are. */
#define FIXED_WEIGHT 32

double spawn_rounds_share(size_t threads, size_t most)
{
    double all = 0;

    for (size_t count = threads; count <= most; count *= 2)
        all += (double)(count + FIXED_WEIGHT);
    return (double)(threads + FIXED_WEIGHT) / all;
}

static size_t one_digit(size_t number)
{
    size_t unit = 1;

    while (number / unit >= 10)
        unit *= 10;
    return number / unit * unit;
}

size_t spawn_rounds_that_fit(const struct spawn_lap *lap, size_t planned, size_t laps,
                             double budget_ns)
{
    double round_ns = fmax((lap->some_ns - lap->one_ns) / (double)(lap->some_rounds - 1), 1);
    double fitting = 1 + (budget_ns / (double)laps - lap->one_ns) / round_ns;

    if (fitting >= (double)planned)
        return planned;
    return fitting < 2 ? 1 : one_digit((size_t)fitting);
}
