/* SPDX-License-Identifier: MIT */
/*
 * Threads, and what each has of its own.
 *
 * pal knows the threads that it created and those that attached themselves: a foreign thread does
 * so in its first call that needs a record of it (TlsSetValue, or anything with GetCurrentThread()
 * except GetThreadId and a failing call), and is detached when it ends. An ending thread runs the
 * host's thread-local destructors first; pal's own part comes in the second of the four rounds of
 * pthread_key_create(3)'s, after which calls that need a record fail with ERROR_NOT_READY. A
 * foreign thread that makes its very first such call in the third round or later may never be
 * detached. Without PAL_Initialize no thread has a record.
 */
#ifndef PAL_THREAD_H
#define PAL_THREAD_H

#include <pal/sync.h>
#include <pal/types.h>

typedef DWORD(PALAPI *PTHREAD_START_ROUTINE)(LPVOID lpThreadParameter);
typedef PTHREAD_START_ROUTINE LPTHREAD_START_ROUTINE;

#define CREATE_SUSPENDED 0x00000004
#define STACK_SIZE_PARAM_IS_A_RESERVATION 0x00010000

#define STILL_ACTIVE 259

/* Access rights; accepted and not checked. */
#define THREAD_TERMINATE 0x0001
#define THREAD_SUSPEND_RESUME 0x0002
#define THREAD_GET_CONTEXT 0x0008
#define THREAD_SET_CONTEXT 0x0010
#define THREAD_SET_INFORMATION 0x0020
#define THREAD_QUERY_INFORMATION 0x0040
#define THREAD_ALL_ACCESS 0x001F03FF
#ifndef SYNCHRONIZE
#define SYNCHRONIZE 0x00100000
#endif

/*
 * CreateThread: starts a thread, and does not wait for it to run.
 *
 * lpThreadAttributes: not used.
 * dwStackSize: the stack that the thread can use, in bytes; rounded up to whole pages and to 64
 * KiB; a guard page and libc's thread-local data come on top. 0: 1.5 MiB, or what PAL_STACK_SIZE
 * in the environment says (bytes; 0x for hexadecimal).
 * lpStartAddress, lpParameter: what the thread runs. What it returns is its exit code.
 * dwCreationFlags: 0, or CREATE_SUSPENDED (it waits for ResumeThread ahead of lpStartAddress),
 * and STACK_SIZE_PARAM_IS_A_RESERVATION, which changes nothing: a stack is always only reserved.
 * lpThreadId: receives the thread's id. NULL is faster: the id is the kernel's, which is known
 * once the thread has run, and with lpThreadId the call waits for that.
 *
 * The new thread has the caller's signal mask, affinity and scheduling policy.
 *
 * Returns a handle, to be closed, or NULL with the last error
 *   ERROR_INVALID_PARAMETER  lpStartAddress is NULL, or an unknown flag
 *   ERROR_NOT_READY          PAL_Initialize was not called
 *   ERROR_NOT_ENOUGH_MEMORY  no memory for the stack or the record; or a size beyond the address
 *                            space
 *   ERROR_MAX_THRDS_REACHED  the system gives no thread: pthread_create(3) failed
 * In the last two cases errno tells the cause, and PAL_CreateThreadHint what to do about it.
 * Thread-safe. Contract: Win32 documentation, CreateThread; pthread_create(3), clone(2).
 */
PALIMPORT HANDLE PALAPI CreateThread(LPSECURITY_ATTRIBUTES lpThreadAttributes, SIZE_T dwStackSize,
                                     LPTHREAD_START_ROUTINE lpStartAddress, LPVOID lpParameter,
                                     DWORD dwCreationFlags, LPDWORD lpThreadId);

/*
 * PAL_CreateThreadHint (pal's own): what to do about an errno of CreateThread: one line of text, a
 * constant string; NULL when there is no advice. Thread-safe; never blocks.
 */
PALIMPORT LPCSTR PALAPI PAL_CreateThreadHint(int errorNumber);

/*
 * ResumeThread: lets a thread run that was created with CREATE_SUSPENDED. When its handles are
 * closed before that, it stays suspended, and OpenThread can still reach it by its id.
 *
 * Returns the suspend count before, which is 1, or (DWORD)-1 with the last error
 *   ERROR_INVALID_HANDLE  no open handle, not a thread's, or the thread has ended
 *   ERROR_BAD_COMMAND     the thread is not suspended: it never was, or was resumed before. (Win32
 *                         returns 0 there; this is CoreCLR's PAL's answer.)
 * Thread-safe; never blocks. Contract: Win32 documentation, ResumeThread.
 */
PALIMPORT DWORD PALAPI ResumeThread(HANDLE hThread);

/*
 * ExitThread: ends the calling thread with an exit code, through pthread_exit(3): thread-local
 * destructors run, and C++ frames are unwound. In the main thread the process goes on while other
 * threads of the host's live; when the last one ends, the process exits with status 0. The worker
 * does not count: the main thread's ExitThread ends it. (A later PAL_Initialize brings it back, and
 * a main thread that ends by pthread_exit(3) leaves it: then the process does not end.) Does not
 * return.
 */
PALIMPORT VOID PALAPI ExitThread(DWORD dwExitCode) __attribute__((noreturn));

/*
 * GetCurrentThread: a pseudo-handle that means the calling thread, wherever it is used; to give to
 * another thread, duplicate it. It need not be closed. Thread-safe; never blocks.
 */
PALIMPORT HANDLE PALAPI GetCurrentThread(VOID);

/* GetCurrentThreadId: the kernel's id of the calling thread, gettid(2). Thread-safe; never blocks;
 * works before PAL_Initialize, and in a child of fork. */
PALIMPORT DWORD PALAPI GetCurrentThreadId(VOID);

/*
 * GetThreadId: the kernel's id of a thread, also after its end (the kernel may then have given it
 * to another). Waits for a new thread that has not run yet, not for one to be resumed.
 *
 * Returns the id, or 0 with the last error ERROR_INVALID_HANDLE. Thread-safe.
 */
PALIMPORT DWORD PALAPI GetThreadId(HANDLE Thread);

/*
 * OpenThread: a handle to the live thread with this id.
 *
 * dwDesiredAccess, bInheritHandle: not used.
 * Returns a handle, to be closed, or NULL with the last error
 *   ERROR_INVALID_PARAMETER  no such thread that pal knows: a foreign one that is not attached
 *                            counts only when it is the caller
 *   ERROR_NOT_READY          it is the calling thread, and can have no record
 *   ERROR_NOT_ENOUGH_MEMORY  no memory or no room in the table
 * Thread-safe; takes time with the number of threads. Contract: Win32 documentation, OpenThread.
 */
PALIMPORT HANDLE PALAPI OpenThread(DWORD dwDesiredAccess, BOOL bInheritHandle, DWORD dwThreadId);

/*
 * GetExitCodeThread: what the thread ended with, or STILL_ACTIVE while it has not ended. A foreign
 * thread, and one that ended through pthread_exit(3), has 0.
 *
 * lpExitCode: receives the code; untouched on failure.
 * Returns TRUE, or FALSE with the last error
 *   ERROR_INVALID_HANDLE     hThread is no open handle, or not a thread's
 *   ERROR_INVALID_PARAMETER  lpExitCode is NULL
 *   ERROR_NOT_READY          it is GetCurrentThread(), in a thread that can have no record
 * Thread-safe; never blocks. Contract: Win32 documentation, GetExitCodeThread.
 */
PALIMPORT BOOL PALAPI GetExitCodeThread(HANDLE hThread, LPDWORD lpExitCode);

/*
 * GetThreadTimes: when a thread started and ended, and the CPU time it used, in units of 100 ns.
 *
 * lpCreationTime: its start; for a foreign thread, when it attached. lpExitTime: its end; 0 while
 * it runs. lpKernelTime, lpUserTime: CPU time in the kernel and outside it. The sum is exact, the
 * split as fine as the kernel's accounting (whole ticks on many).
 * Returns TRUE, or FALSE with the last error
 *   ERROR_INVALID_HANDLE     hThread is no open handle, or not a thread's
 *   ERROR_INVALID_PARAMETER  a pointer is NULL
 *   ERROR_NOT_READY          it is GetCurrentThread(), in a thread that can have no record
 * Thread-safe; waits for a new thread that has not run yet. Contract: Win32 documentation.
 */
PALIMPORT BOOL PALAPI GetThreadTimes(HANDLE hThread, LPFILETIME lpCreationTime,
                                     LPFILETIME lpExitTime, LPFILETIME lpKernelTime,
                                     LPFILETIME lpUserTime);

#define THREAD_PRIORITY_IDLE (-15)
#define THREAD_PRIORITY_LOWEST (-2)
#define THREAD_PRIORITY_BELOW_NORMAL (-1)
#define THREAD_PRIORITY_NORMAL 0
#define THREAD_PRIORITY_ABOVE_NORMAL 1
#define THREAD_PRIORITY_HIGHEST 2
#define THREAD_PRIORITY_TIME_CRITICAL 15
#define THREAD_PRIORITY_ERROR_RETURN 0x7FFFFFFF

/*
 * SetThreadPriority: remembers a THREAD_PRIORITY_*, for GetThreadPriority to return. The kernel's
 * scheduling is left alone: an unprivileged process may only lower priorities there, for good.
 *
 * Returns TRUE, or FALSE with the last error
 *   ERROR_INVALID_HANDLE     hThread is no open handle, or not a thread's
 *   ERROR_INVALID_PARAMETER  nPriority is none of the seven
 *   ERROR_NOT_READY          it is GetCurrentThread(), in a thread that can have no record
 * GetThreadPriority returns it, or THREAD_PRIORITY_ERROR_RETURN and the last error likewise.
 * Thread-safe; never block. Contract: Win32 documentation, by those names.
 */
PALIMPORT BOOL PALAPI SetThreadPriority(HANDLE hThread, int nPriority);
PALIMPORT int PALAPI GetThreadPriority(HANDLE hThread);

/*
 * SetThreadDescription: names a thread. The kernel (ps, top, gdb) gets as much of it as fits, 15
 * bytes of UTF-8, cut at a character; where it refuses, the name is kept all the same. A thread
 * that has ended keeps its name as well.
 *
 * lpThreadDescription: UTF-16, copied; "" for no name, which leaves the kernel's as it is.
 * Returns S_OK, or HRESULT_FROM_WIN32 of (the last error is left alone)
 *   ERROR_INVALID_HANDLE     hThread is no open handle, or not a thread's
 *   ERROR_INVALID_PARAMETER  lpThreadDescription is NULL
 *   ERROR_NOT_READY          it is GetCurrentThread(), in a thread that can have no record
 *   ERROR_NOT_ENOUGH_MEMORY  no memory for the copy
 * Thread-safe; writes to /proc for another thread than the caller. Contract: Win32 documentation;
 * PR_SET_NAME in prctl(2), comm in proc(5).
 */
PALIMPORT HRESULT PALAPI SetThreadDescription(HANDLE hThread, PCWSTR lpThreadDescription);

/*
 * GetThreadDescription: the whole name, "" when there is none.
 *
 * ppszThreadDescription: receives a copy, to be freed by LocalFree; untouched on failure.
 * Returns as SetThreadDescription does. Thread-safe.
 */
PALIMPORT HRESULT PALAPI GetThreadDescription(HANDLE hThread, PWSTR *ppszThreadDescription);

/* LocalFree: frees what GetThreadDescription gave; NULL is allowed. Returns NULL. Thread-safe. */
PALIMPORT HANDLE PALAPI LocalFree(HANDLE hMem);

/* SwitchToThread: sched_yield(2). Returns TRUE: whether another thread ran is not known. */
PALIMPORT BOOL PALAPI SwitchToThread(VOID);

/*
 * Sleep: blocks the calling thread for dwMilliseconds at least; 0 is SwitchToThread, INFINITE
 * never returns. Signals of the host that interrupt it do not end it.
 */
PALIMPORT VOID PALAPI Sleep(DWORD dwMilliseconds);

/* YieldProcessor: tells the processor that the thread spins. Not a barrier. */
__attribute__((unused)) static inline VOID YieldProcessor(VOID)
{
#if defined(__x86_64__) || defined(__i386__)
    __asm__ __volatile__("pause");
#elif defined(__aarch64__) || defined(__arm__)
    __asm__ __volatile__("yield");
#elif defined(__riscv)
    __asm__ __volatile__(
        ".4byte 0x0100000f"); /* pause; a fence that does nothing without Zihintpause */
#endif
}

/*
 * GetCurrentThreadStackLimits: the addresses that the calling thread's stack may use, from LowLimit
 * up to but not including HighLimit; the guard below is not part of it. For the main thread
 * LowLimit is how far the stack may still grow. NULL is ignored. 0 and the highest address when
 * the system does not tell. Thread-safe; the main thread and foreign ones may read /proc;
 * works before PAL_Initialize. Contract: Win32 documentation; pthread_getattr_np(3), getrlimit(2).
 */
PALIMPORT VOID PALAPI GetCurrentThreadStackLimits(PULONG_PTR LowLimit, PULONG_PTR HighLimit);

#define TLS_MINIMUM_AVAILABLE 64
#define TLS_OUT_OF_INDEXES 0xFFFFFFFF

/*
 * Thread-local slots: 1,088 of them, as on Windows, without destructors. A slot is NULL in every
 * thread once it is allocated, and in every thread that starts later.
 *
 * TlsAlloc returns an index, or TLS_OUT_OF_INDEXES with the last error ERROR_NO_MORE_ITEMS.
 * TlsFree, TlsSetValue return TRUE, or FALSE with the last error
 *   ERROR_INVALID_PARAMETER  dwTlsIndex is not allocated
 *   ERROR_NOT_READY          TlsSetValue: in a thread that can have no record
 *   ERROR_NOT_ENOUGH_MEMORY  TlsSetValue: for the slots from 64 on, or a foreign thread's record
 * TlsGetValue returns the value with the last error ERROR_SUCCESS, or NULL with the last error
 * ERROR_INVALID_PARAMETER. In a thread without a record every slot is NULL.
 * Thread-safe; TlsFree takes time with the number of threads. The last PAL_Terminate does not free
 * slots. Contract: Win32 documentation, by those names.
 */
PALIMPORT DWORD PALAPI TlsAlloc(VOID);
PALIMPORT BOOL PALAPI TlsFree(DWORD dwTlsIndex);
PALIMPORT LPVOID PALAPI TlsGetValue(DWORD dwTlsIndex);
PALIMPORT BOOL PALAPI TlsSetValue(DWORD dwTlsIndex, LPVOID lpTlsValue);

#endif
