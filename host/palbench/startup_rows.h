/* SPDX-License-Identifier: MIT */
/* The programs that `palbench startup` compares. */
#ifndef PALBENCH_STARTUP_ROWS_H
#define PALBENCH_STARTUP_ROWS_H

#include <stdbool.h>

#include "program.h"
#include "samples.h"

enum startup_row_id {
    ROW_BARE,
    ROW_RAW_EARLY,
    ROW_RAW_LATE,
    ROW_PAL_EARLY,
    ROW_PAL_LATE,
    ROW_RAW_THREADED,
    ROW_PAL_THREADED,
    ROW_PAL_THREADED_LATE,
    ROW_COMMAND, /* the caller's own, when there is one */
    ROW_COUNT
};

struct startup_row {
    char *name;
    char *path; /* of the executable */
    char *const *argv;
    char *const
        *in_process_argv;    /* makes it tell the time of its init; NULL for a row without PAL */
    enum startup_row_id raw; /* PAL rows: the same without the PAL */

    struct samples wall_ns;
    double user_s;   /* of all runs together */
    double system_s; /* of all runs together */
    struct samples init_ns;
};

struct startup_rows {
    size_t count; /* ROW_COMMAND without a command of the caller's, else ROW_COUNT */
    struct startup_row row[ROW_COUNT];
    struct startup_row floor; /* measures the least that an init can cost; in process only */
};

/*
 * Finds the programs. command: the caller's, NULL-terminated, or empty. Ends the program when one
 * is missing.
 */
void startup_rows_open(struct startup_rows *rows, char **command);
void startup_rows_close(struct startup_rows *rows);

#endif
