/* SPDX-License-Identifier: MIT */
/* What the tests of palbench share: its JSON, and a stage of programs for it to run. */
#ifndef PALBENCH_FIXTURE_H
#define PALBENCH_FIXTURE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct output_file {
    char path[32];
};

/*
 * palbench among programs that are not what it measures but do as they are told: it looks for
 * palraw and palhost beside itself. Each notes how it was called; those in `slow` take many times
 * longer.
 */
struct stage {
    char directory[40];
    char palbench[64];
    char log[64];
};

struct output_file output_file(void);

/* The JSON in a file, which is removed; NULL when it is none. */
json_t *take_json(const struct output_file *file);
const char *text_at(json_t *json, const char *key);
void expect_numbers(json_t *json, const char *const *keys, size_t count);
void expect_ratio(json_t *ratio);
void expect_head(json_t *json, const char *command);
json_t *result_of(json_t *json, const char *name, const char *impl);

/* slow: a pattern of sh's case. */
bool stage_open(struct stage *stage, const char *slow);
void stage_close(const struct stage *stage);

/* How often a program was called with just this line. */
int calls_of(const struct stage *stage, const char *line);
bool makes_a_thread(long nr);

#endif
