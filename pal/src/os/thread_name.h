/* SPDX-License-Identifier: MIT */
/* The name that the kernel has for a thread. */
#ifndef OS_THREAD_NAME_H
#define OS_THREAD_NAME_H

#include <stdbool.h>
#include <stdint.h>

/* With the final 0. */
#define OS_THREAD_NAME_SIZE 16

/*
 * Names a thread of this process; `self`: it is the caller, which needs no /proc. A refusal is
 * passed over: the name is for people.
 */
void os_thread_name(uint32_t tid, bool self, const char *name);

#endif
