/* SPDX-License-Identifier: MIT */
/*
 * Handles: counted references to pal's objects.
 *
 * A handle that was closed is never mistaken for a later one: using it fails with
 * ERROR_INVALID_HANDLE (on a 32-bit machine, after 512 further uses of the same place in the table,
 * of which places take turns, it may come round again). The low two bits of a handle are ignored,
 * as on Windows. Looking a handle up takes no lock. Handles are not inherited by processes, and
 * access rights are accepted and not checked.
 */
#ifndef PAL_HANDLE_H
#define PAL_HANDLE_H

#include <pal/types.h>

/*
 * CloseHandle: gives the handle up. The object goes with its last handle, unless something else
 * keeps it (a thread that runs, a wait in progress). A pseudo-handle is left as it is.
 *
 * Returns TRUE, or FALSE with the last error
 *   ERROR_INVALID_HANDLE  hObject is no open handle, for instance closed before
 * Thread-safe; of concurrent calls with the same handle one succeeds. Never blocks.
 * Contract: Win32 documentation, CloseHandle.
 */
PALIMPORT BOOL PALAPI CloseHandle(HANDLE hObject);

#define DUPLICATE_CLOSE_SOURCE 0x00000001
#define DUPLICATE_SAME_ACCESS 0x00000002

/*
 * DuplicateHandle: a second handle to the same object, within this process. A pseudo-handle of
 * GetCurrentThread becomes a real one, which other threads may use.
 *
 * hSourceProcessHandle, hTargetProcessHandle: GetCurrentProcess().
 * hSourceHandle: what to duplicate.
 * lpTargetHandle: receives the new handle, untouched on failure; NULL only together with
 * DUPLICATE_CLOSE_SOURCE, which then only closes.
 * dwDesiredAccess, bInheritHandle: not used.
 * dwOptions: DUPLICATE_*. DUPLICATE_CLOSE_SOURCE closes a valid source in any event, also when
 * the call fails for another reason.
 *
 * Returns TRUE, or FALSE with the last error
 *   ERROR_INVALID_HANDLE     the source, or one of the processes, is no open handle
 *   ERROR_INVALID_PARAMETER  an unknown option, or lpTargetHandle is NULL
 *   ERROR_NOT_SUPPORTED      the source is GetCurrentProcess()
 *   ERROR_NOT_READY          the source is GetCurrentThread(), in a thread that can have no
 *                            record: PAL_Initialize was not called, or the thread is ending
 *   ERROR_NOT_ENOUGH_MEMORY  no memory or no room in the table
 * Thread-safe; never blocks. Contract: Win32 documentation, DuplicateHandle.
 */
PALIMPORT BOOL PALAPI DuplicateHandle(HANDLE hSourceProcessHandle, HANDLE hSourceHandle,
                                      HANDLE hTargetProcessHandle, LPHANDLE lpTargetHandle,
                                      DWORD dwDesiredAccess, BOOL bInheritHandle, DWORD dwOptions);

#endif
