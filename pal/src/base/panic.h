/* SPDX-License-Identifier: MIT */
/* The end of the road: a state that the library cannot go on from. */
#ifndef BASE_PANIC_H
#define BASE_PANIC_H

#include <pal/init.h>

/*
 * Tells the panic handler what happened, where, and with which errno (0: none), then aborts.
 * `error` is a positive errno.
 */
#define PANIC(error, what) panic(__FILE__, __LINE__, (error), (what))

_Noreturn void panic(const char *file, int line, int error, const char *what);

PAL_PANIC_HANDLER panic_set_handler(PAL_PANIC_HANDLER handler);

#endif
