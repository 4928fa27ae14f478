/* SPDX-License-Identifier: MIT */
/*
 * The record of a thread: one that the library created, or a foreign one that attached itself.
 *
 * The threads lock guards the roster, the ended threads, the cached stacks, the descriptions and
 * which TLS slots are allocated.
 */
#ifndef THREAD_THREAD_H
#define THREAD_THREAD_H

#include <pal/thread.h>
#include <pthread.h>

#include "sync/waitable.h"
#include "thread/stack.h"
#include "thread/tls.h"

struct thread {
    struct waitable waitable; /* signalled at the thread's end */
    struct thread *next;      /* threads lock; in the roster, later among the ended */
    struct thread **link;     /* threads lock; what points to this one in the roster */
    bool ended;               /* threads lock; its tid may be someone else's */
    bool created;             /* constant; by us, and so with a stack, a start and a handle below */

    _Atomic uint32_t tid;   /* futex; the kernel's, or that it is not known yet */
    _Atomic uint32_t gate;  /* futex; whether it may run what it was created for */
    _Atomic int priority;   /* THREAD_PRIORITY_*; only remembered */
    _Atomic bool described; /* see description.c */
    char16_t *description;  /* threads lock; NULL: none */

    DWORD exit_code;        /* owner; constant once signalled */
    uint64_t creation_time; /* constant; a FILETIME */
    uint64_t exit_time;     /* owner; constant once signalled */
    uint64_t kernel_time;   /* likewise; in units of 100 ns */
    uint64_t user_time;     /* likewise */

    struct tls_slots slots;

    LPTHREAD_START_ROUTINE start;
    LPVOID parameter;
    pthread_t native; /* owner; to be joined once it has ended */
    struct stack stack;
};

extern const struct object_type thread_type;

static inline struct thread *thread_of(struct object *object)
{
    return (struct thread *)object; /* its first member's first member */
}

struct thread_request {
    LPTHREAD_START_ROUTINE start;
    LPVOID parameter;
    size_t stack_size; /* in bytes; 0: the default */
    bool suspended;
};

/*
 * Starts a thread and opens a handle to it. `ret_id`: NULL, or waits for its id. On failure errno
 * tells the cause: ERROR_NOT_ENOUGH_MEMORY, ERROR_MAX_THRDS_REACHED, ERROR_NOT_READY.
 */
PAL_ERROR thread_create(const struct thread_request *request, HANDLE *ret_handle, DWORD *ret_id);

/* A record on the roster; it has one reference, which is the thread's own. */
PAL_ERROR thread_enrol(bool created, struct thread **ret_thread);

/* ERROR_BAD_COMMAND: not suspended. ERROR_INVALID_HANDLE: it has ended. */
PAL_ERROR thread_resume(struct thread *thread);

/* The kernel's id; waits for a thread that has not run yet. */
DWORD thread_id(struct thread *thread);
DWORD thread_id_if_known(struct thread *thread); /* or 0 */
void thread_publish_id(struct thread *thread);

/* The live thread with this id, with a reference; NULL: none. */
struct thread *thread_find(DWORD id);

/* Its CPU time in units of 100 ns; final once it has ended. */
void thread_cpu_times(struct thread *thread, uint64_t *ret_kernel, uint64_t *ret_user);

/*
 * The end of the calling thread: off the roster, then signalled; the record goes with its last
 * handle, of a created thread not before the kernel's thread is gone.
 */
void thread_end(struct thread *thread);

/* Around fork: the threads lock; in the child the other threads are gone, and so ended. */
void thread_before_fork(void);
void thread_after_fork_in_parent(void);
void thread_after_fork_in_child(void);

#endif
