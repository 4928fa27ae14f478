/* SPDX-License-Identifier: MIT */
#include "sync/waitable.h"

#include <errno.h>
#include <pal/sync.h>

#include "os/clock.h"
#include "os/futex.h"

enum {
    CLEAR,
    AWAITED, /* clear, and someone may be asleep */
    SIGNALLED
};

void waitable_init(struct waitable *waitable, const struct object_type *type)
{
    atomic_store_explicit(&waitable->state, CLEAR, memory_order_relaxed);
    object_init(&waitable->object, type);
}

void waitable_signal(struct waitable *waitable)
{
    /* Release: pairs with the acquire in waitable_is_signalled. */
    if (atomic_exchange_explicit(&waitable->state, SIGNALLED, memory_order_release) == AWAITED)
        os_futex_wake_all(&waitable->state);
}

bool waitable_is_signalled(struct waitable *waitable)
{
    return atomic_load_explicit(&waitable->state, memory_order_acquire) == SIGNALLED;
}

static uint64_t deadline_after(DWORD milliseconds)
{
    return milliseconds == INFINITE ? OS_FOREVER
                                    : os_clock_ns() + (uint64_t)milliseconds * 1000000u;
}

/* 0, or an errno of os_futex_wait after which there is no point in looking again. */
static int sleep_until(struct waitable *waitable, uint64_t deadline_ns)
{
    uint32_t clear = CLEAR;

    /* Fails when it is signalled, or when another waiter said so before us. */
    (void)atomic_compare_exchange_strong_explicit(&waitable->state, &clear, AWAITED,
                                                  memory_order_relaxed, memory_order_relaxed);
    int error = os_futex_wait(&waitable->state, AWAITED, deadline_ns);
    return error == -EAGAIN || error == -EINTR ? 0 : error;
}

PAL_ERROR waitable_wait(struct waitable *waitable, DWORD milliseconds)
{
    if (waitable_is_signalled(waitable))
        return ERROR_SUCCESS;
    if (milliseconds == 0)
        return WAIT_TIMEOUT;

    uint64_t deadline_ns = deadline_after(milliseconds);
    int error = 0;
    while (error == 0 && !waitable_is_signalled(waitable))
        error = sleep_until(waitable, deadline_ns);
    if (waitable_is_signalled(waitable))
        return ERROR_SUCCESS;
    if (error == -ETIMEDOUT)
        return WAIT_TIMEOUT;
    errno = -error;
    return ERROR_INTERNAL_ERROR;
}
