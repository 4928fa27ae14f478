/* SPDX-License-Identifier: MIT */
/* What the environment asks of the library. */
#ifndef INIT_ENVIRONMENT_H
#define INIT_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>

struct environment {
    int flush_wish;    /* a PAL_FLUSH_METHOD or FLUSH_WISH_AUTO */
    bool trace_init;   /* print the init trace */
    size_t stack_size; /* of threads that ask for none in particular; 0: the library's default */
    int error;         /* 0, or -EINVAL: a variable has a value that is not one of its own */
};

/* Reads PAL_FLUSH, PAL_STACK_SIZE and PAL_TRACE; in a secure-execution process (AT_SECURE) none
 * counts. */
struct environment environment_read(void);

/* The same from given values, NULL for a variable that is not set. */
struct environment environment_parse(const char *pal_flush, const char *pal_stack_size,
                                     const char *pal_trace);

#endif
