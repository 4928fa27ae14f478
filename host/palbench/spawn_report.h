/* SPDX-License-Identifier: MIT */
/* Says what `palbench spawn` found. */
#ifndef PALBENCH_SPAWN_REPORT_H
#define PALBENCH_SPAWN_REPORT_H

#include <jansson.h>
#include <stdio.h>

#include "spawn_create.h"
#include "spawn_sweep.h"

struct spawn_findings {
    struct spawn_case first;
    struct spawn_case create[SPAWN_CREATE_CASES];
    struct spawn_case sweep[SPAWN_SWEEP_CASES_MOST]; /* yield-N and barrier-N in turn */
    size_t sweep_cases;
    size_t planned_rounds; /* of barriers */
    size_t planned_runs;   /* of the barriers */
};

/* The case at a place, those of the sweep first; NULL past the last one. */
struct spawn_case *spawn_findings_case(struct spawn_findings *findings, size_t place);

void spawn_report_text(struct spawn_findings *findings, FILE *stream);

/* Adds "results" and "planned". */
void spawn_report_json(struct spawn_findings *findings, json_t *json);

#endif
