/* SPDX-License-Identifier: MIT */
/* Waiting. */
#ifndef PAL_SYNC_H
#define PAL_SYNC_H

#include <pal/types.h>

#define INFINITE 0xFFFFFFFF

#define WAIT_OBJECT_0 0x00000000
#define WAIT_TIMEOUT 258
#define WAIT_FAILED 0xFFFFFFFF

/*
 * WaitForSingleObject: waits until the object is signalled. A thread is signalled for good when it
 * has ended.
 *
 * hHandle: the object. Closing the handle meanwhile does not disturb the wait.
 * dwMilliseconds: how long at most, in ms of CLOCK_MONOTONIC; 0 only looks; INFINITE waits for
 * ever. An object that is signalled by the time the wait gives up counts as signalled.
 *
 * Returns WAIT_OBJECT_0, WAIT_TIMEOUT (the last error is left alone), or WAIT_FAILED with the last
 * error
 *   ERROR_INVALID_HANDLE  hHandle is no open handle
 *   ERROR_NOT_READY       it is GetCurrentThread(), in a thread that can have no record
 *   ERROR_INTERNAL_ERROR  futex(2) gave an answer that it does not document; errno is kept
 * Thread-safe. Signals of the host that interrupt it do not end it. What the thread did before it
 * ended happens before the return.
 * Contract: Win32 documentation, WaitForSingleObject.
 */
PALIMPORT DWORD PALAPI WaitForSingleObject(HANDLE hHandle, DWORD dwMilliseconds);

#endif
