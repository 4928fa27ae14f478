/* SPDX-License-Identifier: MIT */
/* The init table: what is initialised, in which order, and what each row relies on. */
#ifndef INIT_TABLE_H
#define INIT_TABLE_H

#include <pal/init.h>
#include <pal/types.h>
#include <stdbool.h>

#include "init/environment.h"

enum init_row_id {
    INIT_SYSTEM,
    INIT_ENVIRONMENT,
    INIT_FORK_HANDLERS,
    INIT_CURRENT_THREAD,
    INIT_FLUSH,
    INIT_SYNC_MANAGER,
    INIT_WORKER,
    INIT_ROW_COUNT
};

#define INIT_BIT(id) (1u << (id))

/* What one walk of the table knows. */
struct init_context {
    DWORD flags;                    /* PAL_INITIALIZE_* of the call */
    struct environment environment; /* read before the first row, judged by its own */
    PAL_THREADS threads;            /* whether other threads are alive by now */
};

struct init_row {
    const char *name;
    DWORD error;           /* the code of a call that fails here */
    DWORD flag;            /* walked when the call's flags have it; 0: always */
    unsigned needs;        /* INIT_BIT of each row that this one uses what it set */
    bool wants_one_thread; /* slow when another thread is alive */
    bool starts_thread;
    int (*init)(struct init_context *context); /* 0, or -errno and nothing left behind */
    void (*fini)(void);                        /* NULL: nothing to undo */
    const char *(*hint)(int error);            /* what to do about an errno; may give NULL */
};

extern const struct init_row init_table[INIT_ROW_COUNT];

/* The order that rows are walked in: the table's own, and the wrong one of WORKER_FIRST. */
extern const enum init_row_id init_order[INIT_ROW_COUNT];
extern const enum init_row_id init_order_worker_first[INIT_ROW_COUNT];

#endif
