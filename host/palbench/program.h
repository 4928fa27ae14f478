/* SPDX-License-Identifier: MIT */
/* Runs a program, without a shell, and times it. */
#ifndef PALBENCH_PROGRAM_H
#define PALBENCH_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

struct program_result {
    double wall_ns; /* from before the spawn until the program was reaped */
    double user_s;
    double system_s;
    int status; /* as of wait(2) */
};

/*
 * Runs the executable at path (nothing is searched for) with stdin, stdout and stderr at /dev/null.
 * Returns 0, or the errno of a program that could not be started.
 */
int program_run(const char *path, char *const argv[], struct program_result *ret_result);

/* The same, with the start of what it writes to stderr kept as a string; the rest is dropped. */
int program_run_captured(const char *path, char *const argv[], char *text, size_t size,
                         struct program_result *ret_result);

/* Whether the program exited with 0; else says in text how it ended. */
bool program_succeeded(const struct program_result *result, char *text, size_t size);

#endif
