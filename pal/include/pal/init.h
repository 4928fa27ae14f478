/* SPDX-License-Identifier: MIT */
/*
 * Starting and ending the PAL, and what happened meanwhile.
 */
#ifndef PAL_INIT_H
#define PAL_INIT_H

#include <pal/types.h>

#define PAL_VERSION_MAJOR 0
#define PAL_VERSION_MINOR 1
#define PAL_VERSION_PATCH 0
#define PAL_VERSION_STRING "0.1.0"

/*
 * Flags of PAL_InitializeWithFlags. Names and values are CoreCLR's. SYNC_THREAD starts the worker
 * now rather than when it is needed. The others are accepted and change nothing: the flush is
 * always set up, signals stay the host's, and the rest asks for parts that pal leaves out
 * (docs/architecture.md).
 */
#define PAL_INITIALIZE_NONE 0x00
#define PAL_INITIALIZE_SYNC_THREAD 0x01
#define PAL_INITIALIZE_EXEC_ALLOCATOR 0x02
#define PAL_INITIALIZE_STD_HANDLES 0x04
#define PAL_INITIALIZE_REGISTER_SIGTERM_HANDLER 0x08
#define PAL_INITIALIZE_DEBUGGER_EXCEPTIONS 0x10
#define PAL_INITIALIZE_ENSURE_STACK_SIZE 0x20
#define PAL_INITIALIZE_REGISTER_SIGNALS 0x40
#define PAL_INITIALIZE_REGISTER_ACTIVATION_SIGNAL 0x80
#define PAL_INITIALIZE_FLUSH_PROCESS_WRITE_BUFFERS 0x100

/*
 * pal's own: the wrong order, for measuring it and for testing the tests. The worker starts first
 * and the registration follows on the calling thread, whether or not other threads are alive, as
 * .NET 3 to 8 did. It costs 5 to 15 ms. It matters only to the call that initialises, and needs
 * PAL_INITIALIZE_SYNC_THREAD beside it: without a worker there is nothing to start first.
 */
#define PAL_INITIALIZE_WORKER_FIRST 0x10000

#define PAL_INITIALIZE (PAL_INITIALIZE_SYNC_THREAD | PAL_INITIALIZE_STD_HANDLES)
#define PAL_INITIALIZE_DLL PAL_INITIALIZE_NONE
#define PAL_INITIALIZE_CORECLR                                                                     \
    (PAL_INITIALIZE | PAL_INITIALIZE_EXEC_ALLOCATOR | PAL_INITIALIZE_REGISTER_SIGTERM_HANDLER |    \
     PAL_INITIALIZE_DEBUGGER_EXCEPTIONS | PAL_INITIALIZE_ENSURE_STACK_SIZE |                       \
     PAL_INITIALIZE_REGISTER_SIGNALS | PAL_INITIALIZE_REGISTER_ACTIVATION_SIGNAL |                 \
     PAL_INITIALIZE_FLUSH_PROCESS_WRITE_BUFFERS)

/*
 * The four ways to initialise. All walk the init table (docs/init-order.md) and count a reference;
 * each success is to be balanced by one PAL_Terminate. A call that finds the PAL initialised adds
 * the rows that its flags ask for and that are missing. A row that fails undoes the rows that this
 * call brought, leaves the earlier ones in place, and gives its own code; nothing leaks, and the
 * call may be repeated.
 *
 * argc, argv: the command line. Not kept; argv may be NULL.
 * flags: PAL_INITIALIZE_*.
 * szExePath, runningInExe: not kept; szExePath may be NULL.
 *
 * The first three return 0, or -1 with the code as last error. PAL_InitializeCoreCLR returns
 * ERROR_SUCCESS or the code, which is the last error as well. Codes:
 *   ERROR_INVALID_FLAGS                                    a flag that is not listed above
 *   ERROR_PALINIT_SYSTEM                                   the page size or the monotonic clock
 *   ERROR_PALINIT_ENV                                      PAL_FLUSH, PAL_STACK_SIZE or PAL_TRACE
 *                                                          has a bad value
 *   ERROR_PALINIT_FORK_HANDLERS                            pthread_atfork failed
 *   ERROR_PALINIT_CURRENT_THREAD                           no thread-specific data key is left
 *   ERROR_PALINIT_INITIALIZE_FLUSH_PROCESS_WRITE_BUFFERS   no sound flush, or not the one asked for
 *   ERROR_PALINIT_SYNC_MANAGER                             the worker's eventfd
 *   ERROR_PALINIT_WORKER                                   the worker's thread
 * PAL_GetInitTrace tells the errno and a hint, but for ERROR_INVALID_FLAGS. A flush ahead of the
 * first initialisation has already chosen the method: PAL_FLUSH is not looked at again. On success
 * the last error is ERROR_SUCCESS.
 *
 * Thread-safe: of concurrent first calls one does the work and all get its answer. Blocks for that
 * long only. Works in a process that already has threads. Opens no file. Not to be called from a
 * signal handler or between fork and exec of a process with threads.
 *
 * Contract: CoreCLR's PAL, PAL_Initialize and its siblings.
 */
PALIMPORT int PALAPI PAL_Initialize(int argc, char *const argv[]);
PALIMPORT int PALAPI PAL_InitializeWithFlags(int argc, const char *const argv[], DWORD flags);
PALIMPORT int PALAPI PAL_InitializeDLL(VOID);
PALIMPORT DWORD PALAPI PAL_InitializeCoreCLR(const char *szExePath, BOOL runningInExe);

/*
 * PAL_Terminate: gives back one reference. The last one walks the init table back: the worker ends,
 * descriptors, mappings and threads are gone, and the PAL can be initialised again.
 *
 * Returns to its caller, unlike CoreCLR's PAL, which ends the process. Called more often than the
 * PAL was initialised it changes nothing and sets the last error to ERROR_NOT_READY; otherwise the
 * last error is left alone.
 * Threads of the host's live on, attached or created by CreateThread, and nothing they use is taken
 * away; stacks of threads that have ended are given back.
 * Thread-safe. Blocks until the worker has ended: what it is doing is bounded, a registration under
 * way (an RCU grace period) being the longest.
 */
PALIMPORT VOID PALAPI PAL_Terminate(VOID);

/*
 * PAL_TerminateEx: gives back every reference and ends the process through exit(3).
 * exitCode: its exit code; the system keeps the low 8 bits. Does not return.
 */
PALIMPORT VOID PALAPI PAL_TerminateEx(int exitCode) __attribute__((noreturn));

/* Whether other tasks shared the process's memory. */
typedef enum _PAL_THREADS {
    PAL_THREADS_NO = 0,
    PAL_THREADS_YES = 1,
    PAL_THREADS_UNKNOWN = 2 /* the kernel was not to be asked and libc does not know */
} PAL_THREADS;

/* One step of initialisation: a row of the init table that was walked. */
typedef struct _PAL_INIT_PHASE {
    LPCSTR name;          /* of the row; a constant string */
    uint64_t begin_ns;    /* CLOCK_MONOTONIC when it began, in ns; 0 where there is no such clock */
    uint64_t duration_ns; /* how long it took, in ns */
    PAL_THREADS threads;  /* whether other threads were alive when it began */
    DWORD result;         /* ERROR_SUCCESS or the row's code */
    int error_number;     /* the errno behind a failure, else 0 */
    LPCSTR hint;          /* what to do about a failure, one line, a constant string; else NULL */
} PAL_INIT_PHASE;

/*
 * PAL_GetInitTrace (pal's own): the rows that are up, in the order in which they were walked; after
 * a failure the failed row comes last, and after the last PAL_Terminate they stay until rows are
 * walked again. A call that fails with ERROR_INVALID_FLAGS walks none and changes nothing here.
 * PAL_TRACE=init in the environment prints them to stderr at the end of a call that walked any.
 *
 * lpPhases: receives up to cPhases rows; may be NULL when cPhases is 0.
 * Returns the number of rows there are, which may be more than cPhases; 0 before the first
 * initialisation or flush, and, with the last error ERROR_INVALID_PARAMETER, when lpPhases is NULL
 * and cPhases is not 0. Thread-safe; waits for an initialisation under way.
 */
PALIMPORT DWORD PALAPI PAL_GetInitTrace(PAL_INIT_PHASE *lpPhases, DWORD cPhases);

/*
 * PAL_SetPanicHandler (pal's own): what to call when pal meets a state that it cannot go on from
 * (an answer that the kernel does not document, no flush left that is sound).
 *
 * handler: receives one line of text without a newline, in the thread that panics; NULL restores
 * the default, which writes the line to stderr. It may fork and exec when the flush has
 * failed; other panics come with locks of pal's held, which a fork would wait for. It must not call
 * pal. It is called once; when it returns the process is aborted.
 * Returns the handler before. Thread-safe; never blocks; works before PAL_Initialize.
 */
typedef void (*PAL_PANIC_HANDLER)(LPCSTR message);
PALIMPORT PAL_PANIC_HANDLER PALAPI PAL_SetPanicHandler(PAL_PANIC_HANDLER handler);

/*
 * PAL_GetVersion (pal's own): the version of the library that runs, as PAL_VERSION_STRING spells
 * it; the PAL_VERSION_* macros tell the version that was compiled against. Thread-safe; never
 * blocks.
 */
PALIMPORT LPCSTR PALAPI PAL_GetVersion(VOID);

#endif
