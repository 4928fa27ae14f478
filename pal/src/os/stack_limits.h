/* SPDX-License-Identifier: MIT */
/* The stack of a thread that someone else started. */
#ifndef OS_STACK_LIMITS_H
#define OS_STACK_LIMITS_H

/*
 * The calling thread's stack, from *ret_low up to but not including *ret_high; no guard is part of
 * it. For the main thread, *ret_low is how far the stack may still grow.
 *
 * Where /proc/self/maps cannot be read, mappings that are in the main thread's way are not seen,
 * and a stack without limit counts as one of 8 MiB. Returns 0 or -errno.
 */
int os_stack_limits(void **ret_low, void **ret_high);

#endif
