/* SPDX-License-Identifier: MIT */
/* What initialisation did, row by row. The init lock covers every call. */
#ifndef INIT_TRACE_H
#define INIT_TRACE_H

#include <pal/init.h>

/* Forgets the phases of rows that are not up any more: all but the first `count`. */
void trace_keep(unsigned count);

/* Puts the phase at `from` in the place of the one at `to`, which comes no later. */
void trace_move(unsigned from, unsigned to);

/* Appends a phase. There is room for one of each row. */
void trace_add(const PAL_INIT_PHASE *phase);

/* Copies up to `capacity` phases; returns how many there are. */
unsigned trace_copy(PAL_INIT_PHASE *ret_phases, unsigned capacity);

/* Prints the phases from number `first` on to stderr. */
void trace_print(unsigned first);

#endif
