/* SPDX-License-Identifier: MIT */
#include "os/native_thread.h"

#include <errno.h>
#include <link.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/prctl.h>
#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#endif
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/panic.h"
#include "os/fault.h"

#define JOIN_YIELDS 300

#define SIGNAL(number) (UINT64_C(1) << ((number)-1)) /* in the kernel's signal set */

/* They report a fault of the instruction being executed: blocked, they kill outright. */
#define SYNCHRONOUS_SIGNALS                                                                        \
    (SIGNAL(SIGABRT) | SIGNAL(SIGBUS) | SIGNAL(SIGFPE) | SIGNAL(SIGILL) | SIGNAL(SIGSEGV) |        \
     SIGNAL(SIGSYS) | SIGNAL(SIGTRAP))

/* libc's own, for cancellation and for what setuid does to all threads; the last is musl's only. */
#ifdef __GLIBC__
#define SIGNALS_OF_LIBC (SIGNAL(32) | SIGNAL(33))
#else
#define SIGNALS_OF_LIBC (SIGNAL(32) | SIGNAL(33) | SIGNAL(34))
#endif

/* By the bare call: libc's way to such a set is seven calls, which a start-up would notice. */
static uint64_t set_signal_mask(uint64_t mask)
{
    uint64_t old = 0;

    (void)syscall(SYS_rt_sigprocmask, SIG_SETMASK, &mask, &old, sizeof mask);
    return old;
}

static void *enter(void *argument)
{
    struct os_thread *thread = argument;

    /* Naming itself is a prctl; naming another thread opens a file in /proc. */
    (void)prctl(PR_SET_NAME, thread->name, 0, 0, 0);
    thread->run();
    return NULL;
}

#ifdef __GLIBC__
static int add_tls_of(struct dl_phdr_info *module, size_t size, void *total)
{
    (void)size;
    for (int i = 0; i < module->dlpi_phnum; i++)
        if (module->dlpi_phdr[i].p_type == PT_TLS)
            *(size_t *)total += module->dlpi_phdr[i].p_memsz + module->dlpi_phdr[i].p_align;
    return 0;
}
#endif

size_t os_static_tls_size(void)
{
#ifdef __GLIBC__
    /* What a library that is loaded later has is not static. Relaxed: all compute the same. */
    static _Atomic size_t known;
    size_t size = atomic_load_explicit(&known, memory_order_relaxed);

    if (size == 0) {
        size = 1;
        (void)dl_iterate_phdr(add_tls_of, &size);
        atomic_store_explicit(&known, size, memory_order_relaxed);
    }
    return size;
#else
    return 0;
#endif
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
    error = pthread_attr_setstacksize(&attributes, stack_size + os_static_tls_size());
    if (error == 0) {
        uint64_t host_mask = set_signal_mask(~(SYNCHRONOUS_SIGNALS | SIGNALS_OF_LIBC));
        error = pthread_create(&thread->handle, &attributes, enter, thread);
        (void)set_signal_mask(host_mask);
    }
    (void)pthread_attr_destroy(&attributes);
    return -error;
}

/* It has a few microseconds to go; to sleep and be woken takes tens. One processor: it runs. */
static int join_soon(struct os_thread *thread)
{
    int error = EBUSY;

    for (int i = 0; i < JOIN_YIELDS && error == EBUSY; i++) {
        error = pthread_tryjoin_np(thread->handle, NULL);
        if (error == EBUSY)
            (void)sched_yield();
    }
    return error;
}

void os_thread_join(struct os_thread *thread)
{
    int error = join_soon(thread);

    if (error == EBUSY)
        error = pthread_join(thread->handle, NULL);
    if (error)
        PANIC(error, "pthread_join of a thread of our own");
}

bool os_thread_join_within(struct os_thread *thread, unsigned seconds)
{
    int error = join_soon(thread);

    if (error == EBUSY) {
        struct timespec until;
        (void)clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec += seconds;
        error = pthread_timedjoin_np(thread->handle, NULL, &until);
    }
    if (error && error != ETIMEDOUT)
        PANIC(error, "pthread_timedjoin_np of a thread of our own");
    return error == 0;
}

void os_thread_detach(struct os_thread *thread)
{
    (void)pthread_detach(thread->handle);
}

int os_thread_create(void *stack_low, void *stack_high, void *(*run)(void *), void *argument)
{
    int error = os_fault(OS_CALL_THREAD_CREATE);
    if (error)
        return error;

    pthread_t thread;
    pthread_attr_t attributes;
    error = pthread_attr_init(&attributes);
    if (error)
        return -error;
    error = pthread_attr_setstack(&attributes, stack_low,
                                  (size_t)((char *)stack_high - (char *)stack_low));
    if (error == 0)
        error = pthread_create(&thread, &attributes, run, argument);
    (void)pthread_attr_destroy(&attributes);
    return -error;
}

bool os_thread_try_join(pthread_t thread)
{
    int error = pthread_tryjoin_np(thread, NULL);

    if (error && error != EBUSY)
        PANIC(error, "pthread_tryjoin_np of a thread of our own");
    return error == 0;
}

void os_thread_yield(void)
{
    (void)sched_yield();
}

_Noreturn void os_thread_pause(void)
{
    for (;;)
        (void)pause();
}

pid_t os_thread_id(void)
{
    return (pid_t)syscall(SYS_gettid);
}

int os_thread_key_create(pthread_key_t *ret_key, void (*destructor)(void *))
{
    int error = os_fault(OS_CALL_THREAD_KEY);
    return error ? error : -pthread_key_create(ret_key, destructor);
}

PAL_THREADS os_other_threads(void)
{
    int error = os_fault(OS_CALL_UNSHARE);

    /* Unsharing memory that nobody shares changes nothing; shared, it is EINVAL. Linux 2.6.16. */
    if (error == 0)
        error = syscall(SYS_unshare, CLONE_VM) == 0 ? 0 : -errno;
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
