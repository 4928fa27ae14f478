/* SPDX-License-Identifier: MIT */
/* palhost hello: what a runtime's host does, with nothing in between. */
#ifndef PALHOST_HELLO_H
#define PALHOST_HELLO_H

#include <pal.h>
#include <stdbool.h>

enum trace_format { TRACE_NONE, TRACE_TEXT, TRACE_JSON };

struct hello_options {
    DWORD flags;             /* PAL_INITIALIZE_CORECLR, with what --order and --worker change */
    const char *flush;       /* for PAL_FLUSH; NULL: leave it alone */
    unsigned threads;        /* sleeping threads that are there before the PAL */
    enum trace_format trace; /* on stderr */
};

/* Runs it; returns the exit code. */
int hello(const struct hello_options *options);

#endif
