/* SPDX-License-Identifier: MIT */
#include "progress.h"

#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#define BAR_WIDTH 40
#define CLEAR_LINE "\r\033[K"

static bool shown;

void progress_show(const char *what, size_t done, size_t total)
{
    static const char full[] = "########################################";
    _Static_assert(sizeof full == BAR_WIDTH + 1, "the full bar");
    int filled = (int)(BAR_WIDTH * done / total);

    if (!isatty(STDERR_FILENO))
        return;
    shown = true;
    (void)fprintf(stderr, CLEAR_LINE "%s [%-*.*s] %zu/%zu", what, BAR_WIDTH, filled, full, done,
                  total);
}

void progress_clear(void)
{
    if (shown)
        (void)fprintf(stderr, CLEAR_LINE);
    shown = false;
}
