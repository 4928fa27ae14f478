/* SPDX-License-Identifier: MIT */
/*
 * The stacks of the threads that the library creates: mappings with a guard page, a bounded number
 * of which is kept for reuse. libc keeps 40 MiB of its own, which is 26 default stacks.
 */
#ifndef THREAD_STACK_H
#define THREAD_STACK_H

#include <stddef.h>

/* What a program that starts and ends threads gets back without a system call. */
#define STACK_CACHE_COUNT 64
#if __SIZEOF_POINTER__ > 4
#define STACK_CACHE_BYTES ((size_t)128 << 20)
#else
#define STACK_CACHE_BYTES ((size_t)32 << 20)
#endif

#define STACK_DEFAULT_SIZE ((size_t)1536 * 1024)

struct stack {
    char *base;  /* of the mapping, which is the guard */
    size_t size; /* of the mapping */
};

/* What a request of 0 means from now on; 0: STACK_DEFAULT_SIZE. Init lock. */
void stack_set_default_size(size_t size);

/* A stack of which `size` bytes can be used; 0: the default. Returns 0 or -errno. */
int stack_take(size_t size, struct stack *ret_stack);

/* Nothing may run on it any more. */
void stack_give(struct stack stack);

/* Gives all cached stacks back to the system. */
void stack_drop_cached(void);

/* The lowest address that may be used, and the first one above the stack. */
void *stack_low(struct stack stack);
void *stack_high(struct stack stack);

/* From the thread on it, at its end: gives what it no longer uses back to the system. */
void stack_trim(struct stack stack);

#endif
