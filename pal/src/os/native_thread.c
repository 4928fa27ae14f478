/* SPDX-License-Identifier: MIT */
#include "os/native_thread.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#endif

#include "base/panic.h"
#include "os/fault.h"

/* Signals that report a fault of the instruction being executed: blocked, they kill outright. */
static const int synchronous_signals[] = {SIGABRT, SIGBUS, SIGFPE, SIGILL,
                                          SIGSEGV, SIGSYS, SIGTRAP};

static void *enter(void *argument)
{
    struct os_thread *thread = argument;

    /* Naming itself is a prctl; naming another thread opens a file in /proc. */
    (void)prctl(PR_SET_NAME, thread->name, 0, 0, 0);
    thread->run();
    return NULL;
}

static void block_asynchronous_signals(sigset_t *ret_old)
{
    sigset_t asynchronous;

    (void)sigfillset(&asynchronous);
    for (size_t i = 0; i < sizeof synchronous_signals / sizeof *synchronous_signals; i++)
        (void)sigdelset(&asynchronous, synchronous_signals[i]);
    (void)pthread_sigmask(SIG_SETMASK, &asynchronous, ret_old);
}

int os_thread_start(struct os_thread *thread, const char *name, size_t stack_size,
                    void (*run)(void))
{
    int error = os_fault(OS_CALL_THREAD_START);
    if (error)
        return error;

    pthread_attr_t attributes;
    error = pthread_attr_init(&attributes);
    if (error)
        return -error;

    thread->name = name;
    thread->run = run;
    error = pthread_attr_setstacksize(&attributes, stack_size);
    if (error == 0) {
        sigset_t host_mask;
        block_asynchronous_signals(&host_mask);
        error = pthread_create(&thread->handle, &attributes, enter, thread);
        (void)pthread_sigmask(SIG_SETMASK, &host_mask, NULL);
    }
    (void)pthread_attr_destroy(&attributes);
    return -error;
}

void os_thread_join(struct os_thread *thread)
{
    int error = pthread_join(thread->handle, NULL);
    if (error)
        PANIC(error, "pthread_join of a thread of our own");
}

void os_thread_detach(struct os_thread *thread)
{
    (void)pthread_detach(thread->handle);
}

PAL_THREADS os_other_threads(void)
{
    int error = os_fault(OS_CALL_UNSHARE);

    /* Unsharing memory that nobody shares changes nothing; shared, it is EINVAL. Linux 2.6.16. */
    if (error == 0)
        error = unshare(CLONE_VM) == 0 ? 0 : -errno;
    if (error == 0)
        return PAL_THREADS_NO;
    return error == -EINVAL ? PAL_THREADS_YES : os_other_threads_libc_knows();
}

PAL_THREADS os_other_threads_libc_knows(void)
{
#if __has_include(<sys/single_threaded.h>)
    /* It may stay false after the last other thread has ended. */
    if (__libc_single_threaded)
        return PAL_THREADS_NO;
#endif
    return PAL_THREADS_UNKNOWN;
}

int os_at_fork(void (*prepare)(void), void (*parent)(void), void (*child)(void))
{
    int error = os_fault(OS_CALL_AT_FORK);
    return error ? error : -pthread_atfork(prepare, parent, child);
}
