/* SPDX-License-Identifier: MIT */
/* Threads, of the library's own and of the host's, and whether there are others. */
#ifndef OS_NATIVE_THREAD_H
#define OS_NATIVE_THREAD_H

#include <pal/init.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* A thread; the memory is the starter's and stays until the thread was joined. */
struct os_thread {
    pthread_t handle;
    const char *name;
    void (*run)(void);
};

/*
 * Starts a thread: at most 15 bytes of name, stack_size bytes of stack to use, every asynchronous
 * signal blocked, so that the host's handlers never run on it. Does not wait for it to run. Returns
 * 0 or -errno.
 */
int os_thread_start(struct os_thread *thread, const char *name, size_t stack_size,
                    void (*run)(void));
void os_thread_join(struct os_thread *thread);
bool os_thread_join_within(struct os_thread *thread, unsigned seconds); /* false: it goes on */
void os_thread_detach(struct os_thread *thread);

/*
 * Starts a thread of the host's on a stack that is the caller's: everything but that is as
 * pthread_create(3) has it. To be joined. Returns 0 or -errno.
 */
int os_thread_create(void *stack_low, void *stack_high, void *(*run)(void *), void *argument);

/* Joins it, if the kernel's thread is gone, and so nothing runs on its stack any more. */
bool os_thread_try_join(pthread_t thread);

/* What glibc takes off a stack for the thread-local data of the program and its libraries. */
size_t os_static_tls_size(void);

/* gettid(2), sched_yield(2), pthread_key_create(3): 0 or -errno. */
pid_t os_thread_id(void);
void os_thread_yield(void);
_Noreturn void os_thread_pause(void); /* for ever, through signals */
int os_thread_key_create(pthread_key_t *ret_key, void (*destructor)(void *));

/*
 * Whether another task shares our memory, by what the kernel says; where it must not be asked that,
 * by what libc knows. A thread that ends is counted until it is really gone.
 */
PAL_THREADS os_other_threads(void);

/* The same without a system call; "no" can be wrong about threads that libc did not make. */
PAL_THREADS os_other_threads_libc_knows(void);

/* pthread_atfork: 0 or -errno. */
int os_at_fork(void (*prepare)(void), void (*parent)(void), void (*child)(void));

#endif
