/* SPDX-License-Identifier: MIT */
/*
 * The handle table: from a HANDLE to a counted object, without a lock.
 *
 * A handle is the index of a slot and the slot's generation when it was opened. Closing moves the
 * generation on, so a closed handle does not match whatever the slot holds later. Each open handle
 * holds a reference.
 */
#ifndef OBJECT_HANDLE_H
#define OBJECT_HANDLE_H

#include <pal/error.h>
#include <pal/types.h>

#include "object/object.h"

/* A Win32 error number; ERROR_SUCCESS is 0. */
typedef DWORD PAL_ERROR;

/*
 * The pseudo-handles: what GetCurrentProcess and GetCurrentThread return. No handle is like them,
 * nor is INVALID_HANDLE_VALUE.
 */
HANDLE handle_current_process(void);
HANDLE handle_current_thread(void);
bool handle_is_current_process(HANDLE handle);
bool handle_is_current_thread(HANDLE handle);

/* Opens a handle; takes over the caller's reference, unless it fails: ERROR_NOT_ENOUGH_MEMORY. */
PAL_ERROR handle_open(struct object *object, HANDLE *ret_handle);

/* Closes it and releases its reference. ERROR_INVALID_HANDLE: it was not open. */
PAL_ERROR handle_close(HANDLE handle);

/* A reference to the handle's object, of this type or, with NULL, of any. ERROR_INVALID_HANDLE. */
PAL_ERROR handle_reference(HANDLE handle, const struct object_type *type,
                           struct object **ret_object);

/* Around fork: the handle lock. */
void handle_before_fork(void);
void handle_after_fork(void);

#endif
