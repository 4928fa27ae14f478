/* SPDX-License-Identifier: MIT */
/*
 * The process-wide memory barrier, and what is known about it.
 */
#ifndef PAL_FLUSH_H
#define PAL_FLUSH_H

#include <pal/types.h>

/*
 * FlushProcessWriteBuffers: on return, every thread of this process that was running has executed a
 * full memory barrier since the call began. The calling thread has, too.
 *
 * Thread-safe. May block: about 0.2 us when no other thread runs, an interrupt to each processor
 * that runs one otherwise; up to an RCU grace period (5 to 15 ms) for a first call in a process
 * that had threads before the PAL, on a machine where no interim method is sound, or with
 * PAL_FLUSH=membarrier; 10 ms each time by the global method. Not
 * async-signal-safe.
 *
 * Works before PAL_Initialize and after the last PAL_Terminate: the first call then walks the rows
 * of the init table that it needs, without counting as an initialisation. It never returns without
 * having flushed: where every sound method has failed, or such a first call finds a bad value in
 * one of the PAL_* environment variables, it ends the process with one line on stderr
 * (PAL_SetPanicHandler). Last error is left alone.
 *
 * Contract: Win32 documentation, FlushProcessWriteBuffers; membarrier(2), Linux 4.14 and later.
 */
PALIMPORT VOID PALAPI FlushProcessWriteBuffers(VOID);

/* How a flush is done. docs/init-order.md says how one is chosen; PAL_FLUSH=NAME forces one. */
typedef enum _PAL_FLUSH_METHOD {
    PAL_FLUSH_METHOD_NONE = 0,       /* only the calling thread's own fence; by request */
    PAL_FLUSH_METHOD_MEMBARRIER = 1, /* membarrier(PRIVATE_EXPEDITED) */
    PAL_FLUSH_METHOD_MPROTECT = 2,   /* a dirty page loses its access rights: x86 only */
    PAL_FLUSH_METHOD_GLOBAL = 4      /* membarrier(GLOBAL), 10 ms a call; by request */
} PAL_FLUSH_METHOD;

/* Where the registration for membarrier(PRIVATE_EXPEDITED) stands. */
typedef enum _PAL_FLUSH_REGISTRATION {
    PAL_FLUSH_REGISTRATION_NONE = 0, /* the method needs none */
    PAL_FLUSH_REGISTRATION_DEFERRED =
        1, /* other threads were alive: the first flush will start it */
    PAL_FLUSH_REGISTRATION_STARTED = 2, /* under way on another thread */
    PAL_FLUSH_REGISTRATION_DONE = 3
} PAL_FLUSH_REGISTRATION;

typedef struct _PAL_FLUSH_INFO {
    PAL_FLUSH_METHOD method;  /* the method chosen for this process */
    PAL_FLUSH_METHOD interim; /* serves while the registration is not done; or == method */
    PAL_FLUSH_REGISTRATION registration; /* how far the registration has come */
    BOOL locked;                         /* mprotect: its page is locked into memory */
} PAL_FLUSH_INFO;

/*
 * PAL_GetFlushInfo (pal's own): what a flush does in this process, at this moment.
 *
 * lpFlushInfo: receives the answer; untouched on failure.
 * Returns TRUE, or FALSE with the last error
 *   ERROR_INVALID_PARAMETER  lpFlushInfo is NULL
 *   ERROR_NOT_READY          no method has been chosen: neither PAL_Initialize nor a flush yet, or
 *                            not since the last PAL_Terminate
 * Thread-safe; may wait for another thread's first flush; makes no system call of its own.
 */
PALIMPORT BOOL PALAPI PAL_GetFlushInfo(PAL_FLUSH_INFO *lpFlushInfo);

/*
 * PAL_FlushMethodName (pal's own): the name of a method as PAL_FLUSH spells it: "none",
 * "membarrier", "mprotect", "global"; NULL for any other value. Thread-safe; never blocks.
 */
PALIMPORT LPCSTR PALAPI PAL_FlushMethodName(PAL_FLUSH_METHOD method);

#endif
