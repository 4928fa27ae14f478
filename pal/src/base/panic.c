/* SPDX-License-Identifier: MIT */
#include "base/panic.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Relaxed throughout: a handler is code and constant data, nothing is published with it. */
static _Atomic(PAL_PANIC_HANDLER) panic_handler;

_Noreturn void panic(const char *file, int line, int error, const char *what)
{
    char message[400];

    errno = error;
    if (error != 0)
        (void)snprintf(message, sizeof message, "pal: %s: %m (errno %d) at %s:%d", what, error,
                       file, line);
    else
        (void)snprintf(message, sizeof message, "pal: %s at %s:%d", what, file, line);

    /* Taken, not read: a handler that panics itself must not be called again. */
    PAL_PANIC_HANDLER handler = panic_set_handler(NULL);
    if (handler)
        handler(message);
    else
        (void)dprintf(STDERR_FILENO, "%s\n", message);
    abort();
}

PAL_PANIC_HANDLER panic_set_handler(PAL_PANIC_HANDLER handler)
{
    return atomic_exchange_explicit(&panic_handler, handler, memory_order_relaxed);
}
