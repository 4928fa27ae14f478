/* SPDX-License-Identifier: MIT */
/*
 * Registers for membarrier on a thread of our own, so that nobody has to sit through the grace
 * period: on the worker, or on a helper thread where there is none. One registration at a time.
 */
#ifndef THREAD_REGISTRAR_H
#define THREAD_REGISTRAR_H

#include <stdbool.h>

/*
 * Starts a registration; `done` gets its result, 0 or -errno, on the thread that made it. False: no
 * thread is to be had. Flush lock, which `done` may take.
 */
bool registrar_start(void (*done)(int error));

/* Waits for the helper thread, if one was started. Init lock, without the flush lock. */
void registrar_join(void);

/* In a child of fork, where the thread that was registering is not. */
void registrar_forget(void);

#endif
