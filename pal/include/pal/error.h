/* SPDX-License-Identifier: MIT */
/*
 * Error codes, and the calling thread's last error.
 *
 * The numbers are the documented Win32 ones ("System Error Codes"). The ERROR_PALINIT_* group
 * belongs to CoreCLR's PAL: 65280 to 65300 are its own, of which pal uses the ones whose meaning it
 * shares; 65408 and up are pal's.
 */
#ifndef PAL_ERROR_H
#define PAL_ERROR_H

#include <pal/types.h>

#define ERROR_SUCCESS 0
#define NO_ERROR 0
#define ERROR_INVALID_HANDLE 6
#define ERROR_NOT_ENOUGH_MEMORY 8
#define ERROR_NOT_READY 21
#define ERROR_BAD_COMMAND 22
#define ERROR_NOT_SUPPORTED 50
#define ERROR_INVALID_PARAMETER 87
#define ERROR_MAX_THRDS_REACHED 164
#define ERROR_NO_MORE_ITEMS 259
#define ERROR_INVALID_FLAGS 1004
#define ERROR_INTERNAL_ERROR 1359

/* Initialisation: one code for each row of the init table (docs/init-order.md). */
#define ERROR_PALINIT_INITIALIZE_FLUSH_PROCESS_WRITE_BUFFERS 65282
#define ERROR_PALINIT_ENV 65296
#define ERROR_PALINIT_SYSTEM 65408
#define ERROR_PALINIT_FORK_HANDLERS 65409
#define ERROR_PALINIT_SYNC_MANAGER 65410
#define ERROR_PALINIT_WORKER 65411
#define ERROR_PALINIT_CURRENT_THREAD 65412

/*
 * The calling thread's last error: set by a function that fails, and left alone by one that
 * succeeds unless its documentation says otherwise. A thread starts with ERROR_SUCCESS.
 *
 * Thread-safe (each thread has its own); never blocks; works before PAL_Initialize. Unlike in
 * CoreCLR's PAL it is not errno, so calls into libc leave it alone.
 * Contract: Win32 documentation, GetLastError and SetLastError.
 */
PALIMPORT DWORD PALAPI GetLastError(VOID);

/* dwErrCode: the new value; any number is accepted. */
PALIMPORT VOID PALAPI SetLastError(DWORD dwErrCode);

#endif
