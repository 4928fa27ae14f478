/* SPDX-License-Identifier: MIT */
/* Processes. */
#ifndef PAL_PROCESS_H
#define PAL_PROCESS_H

#include <pal/types.h>

/*
 * GetCurrentProcess: a pseudo-handle that means the calling process, wherever it is used. It need
 * not be closed. Thread-safe; never blocks; works before PAL_Initialize.
 * Contract: Win32 documentation, GetCurrentProcess.
 */
PALIMPORT HANDLE PALAPI GetCurrentProcess(VOID);

/* GetCurrentProcessId: the process's id, getpid(2). Thread-safe; never blocks. */
PALIMPORT DWORD PALAPI GetCurrentProcessId(VOID);

#endif
