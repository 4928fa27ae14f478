/* SPDX-License-Identifier: MIT */
/* Says what `palbench startup` found. */
#ifndef PALBENCH_STARTUP_REPORT_H
#define PALBENCH_STARTUP_REPORT_H

#include <jansson.h>

#include "startup_run.h"
#include "verdict.h"

struct startup_findings {
    struct startup_rows rows;
    struct startup_plan plan;
    struct ratio ratio[ROW_COUNT];  /* of medians, to ROW_BARE */
    struct ratio to_raw[ROW_COUNT]; /* of medians, of a PAL row to the same without the PAL */
    struct verdict verdict;
};

void startup_report_text(const struct startup_findings *findings, FILE *stream);

/* hyperfine's schema, times in seconds, with additions of our own; a new reference. */
json_t *startup_report_json(const struct startup_findings *findings);

#endif
