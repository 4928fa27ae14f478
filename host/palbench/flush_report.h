/* SPDX-License-Identifier: MIT */
/* Says what `palbench flush` found. */
#ifndef PALBENCH_FLUSH_REPORT_H
#define PALBENCH_FLUSH_REPORT_H

#include <jansson.h>
#include <stdio.h>

#include "flush_measure.h"

#define FLUSH_CASES_MOST 32

/* All cases that were measured, and what was not. */
struct flush_findings {
    size_t cases;
    const struct flush_case *flush_case[FLUSH_CASES_MOST];
    struct flush_figures figures[FLUSH_CASES_MOST][IMPL_COUNT];
    struct flush_availability availability[IMPL_COUNT];
    double timer_ns;
    unsigned cpus;
};

void flush_report_text(const struct flush_findings *findings, FILE *stream);

/* Adds "results", "skipped" and "timer_ns". */
void flush_report_json(const struct flush_findings *findings, json_t *json);

#endif
