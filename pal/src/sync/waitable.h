/* SPDX-License-Identifier: MIT */
/*
 * Objects that can be waited for. In this first form each is signalled once and for good, as the
 * end of a thread is.
 */
#ifndef SYNC_WAITABLE_H
#define SYNC_WAITABLE_H

#include <pal/error.h>
#include <stdint.h>

#include "object/handle.h"

struct waitable {
    struct object object;
    _Atomic uint32_t state; /* futex */
};

/* Not signalled; the caller has the one reference. */
void waitable_init(struct waitable *waitable, const struct object_type *type);

void waitable_signal(struct waitable *waitable);
bool waitable_is_signalled(struct waitable *waitable);

/*
 * Waits at most so many ms; INFINITE is for ever. ERROR_SUCCESS: it is signalled, and what came
 * before the signal happens before the return. WAIT_TIMEOUT: it was not. ERROR_INTERNAL_ERROR: the
 * kernel gave an answer that it does not document, which errno tells.
 */
PAL_ERROR waitable_wait(struct waitable *waitable, DWORD milliseconds);

#endif
