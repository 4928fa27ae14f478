/* SPDX-License-Identifier: MIT */
/* From a HANDLE, which may be a pseudo-handle, to a reference. */
#ifndef API_REFERENCE_H
#define API_REFERENCE_H

#include "thread/thread.h"

/* Of whatever can be waited for, which is everything that has a handle. To be released. */
PAL_ERROR reference_waitable(HANDLE handle, struct waitable **ret_waitable);

/* Of a thread; GetCurrentThread() attaches the caller. To be released. */
PAL_ERROR reference_thread(HANDLE handle, struct thread **ret_thread);
void release_thread(struct thread *thread);

#endif
