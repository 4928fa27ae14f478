/* SPDX-License-Identifier: MIT */
/* The two ways to a thread that `palbench spawn` compares: through the PAL, and by libc alone. */
#ifndef PALBENCH_SPAWN_IMPLS_H
#define PALBENCH_SPAWN_IMPLS_H

#include <pal/thread.h>
#include <pthread.h>
#include <stddef.h>

enum spawn_impl_id { SPAWN_PAL, SPAWN_PTHREAD, SPAWN_IMPL_COUNT };

/* What CreateThread takes for 0, and what the bare side is given in its place. */
#define SPAWN_DEFAULT_STACK ((size_t)1536 * 1024)

/* One size of stack, as each side wants to be told. */
struct spawn_stack {
    size_t pal_size;
    pthread_attr_t attributes;
};

/* The same code, with the type that each side calls. */
struct spawn_body {
    LPTHREAD_START_ROUTINE pal;
    void *(*pthread)(void *);
};

union spawn_thread {
    HANDLE handle;
    pthread_t thread;
};

/* Both end the program when they fail. Joining also gives the handle back. */
struct spawn_impl {
    const char *name;
    void (*create)(union spawn_thread *ret_thread, const struct spawn_stack *stack,
                   const struct spawn_body *body, void *argument);
    void (*join)(union spawn_thread *thread);
};

extern const struct spawn_impl spawn_impls[SPAWN_IMPL_COUNT];

/* A thread that has nothing to do. */
extern const struct spawn_body spawn_nothing;

/* size: in bytes; 0 for the default. */
void spawn_stack_open(struct spawn_stack *stack, size_t size);
void spawn_stack_close(struct spawn_stack *stack);

#endif
