/* SPDX-License-Identifier: MIT */
/* What the environment asks of the library. */
#ifndef INIT_ENVIRONMENT_H
#define INIT_ENVIRONMENT_H

#include <stdbool.h>

struct environment {
    int flush_wish;  /* a PAL_FLUSH_METHOD or FLUSH_WISH_AUTO */
    bool trace_init; /* print the init trace */
    int error;       /* 0, or -EINVAL: a variable has a value that is not one of its own */
};

/* Reads PAL_FLUSH and PAL_TRACE; in a secure-execution process (AT_SECURE) neither counts. */
struct environment environment_read(void);

/* The same from given values, NULL for a variable that is not set. */
struct environment environment_parse(const char *pal_flush, const char *pal_trace);

#endif
