/* SPDX-License-Identifier: MIT */
/* Where the result of a command goes: a text for the reader, and JSON for a script. */
#ifndef PALBENCH_REPORT_H
#define PALBENCH_REPORT_H

#include <jansson.h>
#include <stdio.h>

struct report {
    const char *json_path; /* NULL: no JSON is wanted */
    FILE *json;
    FILE *text; /* stdout, or stderr when the JSON goes to stdout */
};

/*
 * json_path: NULL, a file, or "-" for stdout. Opens the file for writing and leaves what is in it;
 * ends the program when that cannot be done: the time to say so is before the measurement.
 */
struct report report_open(const char *json_path);

/* {"tool","version","command","machine"}, to be added to; a new reference. */
json_t *report_json(const char *command);

/* {"median","low","high"}; a new reference. */
struct ratio;
json_t *report_ratio_json(const struct ratio *ratio);

/* Writes the JSON, dropping the reference, and ends the program when anything was not written. */
void report_close(struct report *report, json_t *json);

#endif
