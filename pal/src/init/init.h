/* SPDX-License-Identifier: MIT */
/* Walks the init table forward and back. */
#ifndef INIT_INIT_H
#define INIT_INIT_H

#include <pal/init.h>
#include <pal/types.h>

/*
 * Walks the rows that the flags ask for and that are not up, and counts a reference. Returns
 * ERROR_SUCCESS, or the failed row's code; then the rows that it brought are down again.
 */
DWORD init_acquire(DWORD flags);

/* Walks the rows that every flag set has, without counting a reference: for a call that came early.
 */
DWORD init_ensure(void);

/* Gives a reference back; the last one walks the table back. ERROR_NOT_READY: there was none. */
DWORD init_release(void);

/* Gives all references back. */
void init_release_all(void);

/* The rows count as not up, without being undone, here and in the trace. Init lock. */
void init_forget(unsigned rows);

/* Ends the worker, if there is one; a later initialisation may bring it back. */
void init_stop_worker(void);

/* The trace: copies up to `capacity` phases, returns how many there are. */
unsigned init_trace(PAL_INIT_PHASE *ret_phases, unsigned capacity);

#endif
