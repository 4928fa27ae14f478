/* SPDX-License-Identifier: MIT */
/* How far the PAL is initialised. One lock guards it all: the init lock, the outermost of all. */
#ifndef INIT_STATE_H
#define INIT_STATE_H

#include <pal/init.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "init/table.h"

struct init_state {
    pthread_mutex_t lock;
    bool fork_handlers;                      /* init lock, or the loader; installed */
    unsigned references;                     /* init lock; successes less terminations */
    unsigned up;                             /* init lock; INIT_BIT of the rows that are up */
    enum init_row_id walked[INIT_ROW_COUNT]; /* init lock; the rows that are up, as walked */
    unsigned walked_count;                   /* init lock */
    /* Init lock to change. Read ahead of the lock, where it pairs with the lock's own ordering. */
    _Atomic unsigned attempts;
    DWORD last_flags; /* init lock; what the latest attempt asked for */
    DWORD last_error; /* init lock; and what came of it */
};

extern struct init_state init_state;

#endif
