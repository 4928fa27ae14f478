/* SPDX-License-Identifier: MIT */
#include "histogram.h"

#include <math.h>
#include <string.h>

#include "table.h"

/* From nothing to the fullest bin. */
static const char *const blocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
static const char *const ascii[] = {" ", ".", ":", "-", "=", "+", "*", "#", "@"};
#define LEVELS (sizeof ascii / sizeof *ascii)

void histogram_fit(struct histogram_axis *axis, const struct samples *samples)
{
    for (size_t i = 0; i < samples->count; i++) {
        double value = samples->values[i];
        if (axis->least == 0 || value < axis->least)
            axis->least = value;
        if (value > axis->most)
            axis->most = value;
    }
}

static size_t bin_of(const struct histogram_axis *axis, double value)
{
    double length = log(axis->most / axis->least);
    double place = length > 0 ? log(value / axis->least) / length : 0;
    size_t bin = (size_t)(place * HISTOGRAM_BINS);

    return bin < HISTOGRAM_BINS ? bin : HISTOGRAM_BINS - 1;
}

void histogram_draw(const struct histogram_axis *axis, const struct samples *samples,
                    char text[HISTOGRAM_TEXT_SIZE])
{
    const char *const *characters = text_is_utf8() ? blocks : ascii;
    size_t bins[HISTOGRAM_BINS] = {0};
    size_t fullest = 1;

    for (size_t i = 0; i < samples->count; i++) {
        size_t *bin = &bins[bin_of(axis, samples->values[i])];
        if (++*bin > fullest)
            fullest = *bin;
    }
    *text = '\0';
    for (size_t i = 0; i < HISTOGRAM_BINS; i++) {
        /* Rounded up: a bin with one run in it shows. */
        size_t level = (bins[i] * (LEVELS - 1) + fullest - 1) / fullest;
        text = stpcpy(text, characters[level]);
    }
}
