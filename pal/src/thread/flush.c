/* SPDX-License-Identifier: MIT */
#include "thread/flush.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#include "base/panic.h"
#include "os/membarrier.h"
#include "os/native_thread.h"
#include "thread/flush_choice.h"
#include "thread/flush_page.h"
#include "thread/registrar.h"

/* What a flush does right now. */
enum serving {
    SERVING_NOTHING_YET, /* no method chosen */
    SERVING_MEMBARRIER,  /* registered; the only one that takes no lock */
    SERVING_DEFERRED,    /* the next flush sees to the registration */
    SERVING_MPROTECT,    /* for good, or while a registration is under way */
    SERVING_GLOBAL,
    SERVING_FENCE
};

static struct {
    pthread_mutex_t lock;
    /*
     * Changes with the lock held. The relaxed load ahead of the lock pairs with nothing: the system
     * call that follows is right or fails with EPERM, and every other state is looked at again
     * with the lock held.
     */
    _Atomic enum serving serving;
    struct flush_choice choice; /* lock */
    int wish;                   /* lock */
} flush = {.lock = PTHREAD_MUTEX_INITIALIZER};

static enum serving serving(void)
{
    return atomic_load_explicit(&flush.serving, memory_order_relaxed);
}

static void serve_by(enum serving next)
{
    atomic_store_explicit(&flush.serving, next, memory_order_relaxed);
}

/* Registers, or finds out that it need not be done or had better be done later. */
static int try_to_register(PAL_THREADS threads, bool register_now)
{
    if (threads == PAL_THREADS_NO || register_now)
        return os_membarrier_register();
    /* The barrier works: someone registered this memory before us, a preload or a parent. */
    return os_membarrier_private() == 0 ? 0 : FLUSH_REGISTER_LATER;
}

static struct flush_facts gather_facts(int wish, PAL_THREADS threads, bool register_now)
{
    struct flush_facts facts = {
        .arch = OS_ARCH,
        .wish = wish,
        .query = -ENOSYS,
        .registration = -ENOSYS,
    };

    if (wish == PAL_FLUSH_METHOD_NONE || wish == PAL_FLUSH_METHOD_MPROTECT)
        return facts;
    facts.query = os_membarrier_query();
    if (wish != PAL_FLUSH_METHOD_GLOBAL && flush_membarrier_offered(facts.query))
        facts.registration = try_to_register(threads, register_now);
    /* CPUID leaves a virtual machine, for microseconds: only where it matters. */
    if (facts.registration < 0)
        facts.broadcast_invalidation = os_cpu_broadcasts_invalidation();
    return facts;
}

static enum serving serving_of(const struct flush_choice *choice)
{
    switch (choice->method) {
    case PAL_FLUSH_METHOD_MEMBARRIER:
        return choice->registration == PAL_FLUSH_REGISTRATION_DONE ? SERVING_MEMBARRIER
                                                                   : SERVING_DEFERRED;
    case PAL_FLUSH_METHOD_MPROTECT:
        return SERVING_MPROTECT;
    case PAL_FLUSH_METHOD_GLOBAL:
        return SERVING_GLOBAL;
    default:
        return SERVING_FENCE;
    }
}

int flush_init(int wish, PAL_THREADS threads, bool register_now)
{
    struct flush_facts facts = gather_facts(wish, threads, register_now);
    struct flush_choice choice;
    int error = flush_choose(&facts, &choice);

    if (error)
        return error;
    pthread_mutex_lock(&flush.lock);
    if (choice.method == PAL_FLUSH_METHOD_MPROTECT) {
        error = flush_page_open();
        if (error == 0)
            flush_page_lock();
    }
    if (error == 0) {
        flush.choice = choice;
        flush.wish = wish;
        serve_by(serving_of(&choice));
    }
    pthread_mutex_unlock(&flush.lock);
    return error;
}

void flush_fini(void)
{
    pthread_mutex_lock(&flush.lock);
    serve_by(SERVING_NOTHING_YET);
    pthread_mutex_unlock(&flush.lock);

    registrar_join();
    pthread_mutex_lock(&flush.lock);
    flush_page_close();
    pthread_mutex_unlock(&flush.lock);
}

/* Membarrier is out of the question, or put off for good. Flush lock. */
static int settle_for_mprotect(void)
{
    int error = flush_page_open();
    if (error)
        return error;
    flush_page_lock();
    flush.choice = (struct flush_choice){PAL_FLUSH_METHOD_MPROTECT, PAL_FLUSH_REGISTRATION_NONE};
    serve_by(SERVING_MPROTECT);
    return 0;
}

static void settle_for_membarrier(void)
{
    flush.choice.registration = PAL_FLUSH_REGISTRATION_DONE;
    serve_by(SERVING_MEMBARRIER);
    flush_page_close();
}

/* On the thread that registered; flushes have gone on by mprotect meanwhile. */
static void registration_done(int error)
{
    pthread_mutex_lock(&flush.lock);
    if (serving() == SERVING_MPROTECT) {
        if (error == 0)
            settle_for_membarrier();
        else
            (void)settle_for_mprotect(); /* cannot fail: its page is there */
    }
    pthread_mutex_unlock(&flush.lock);
}

static PAL_FLUSH_METHOD interim_method(void)
{
    return flush_interim(flush.wish, OS_ARCH, os_cpu_broadcasts_invalidation());
}

/*
 * The first flush of a process that had threads when the PAL came. Leaves a state that can flush,
 * or returns -errno; the grace period is paid here only where nothing sound could serve meanwhile.
 * Flush lock.
 */
static int see_to_registration(void)
{
    bool interim = interim_method() == PAL_FLUSH_METHOD_MPROTECT;

    if (interim && os_other_threads() != PAL_THREADS_NO && flush_page_open() == 0 &&
        registrar_start(registration_done)) {
        flush.choice.registration = PAL_FLUSH_REGISTRATION_STARTED;
        serve_by(SERVING_MPROTECT);
        return 0;
    }
    int error = os_membarrier_register();
    if (error == 0)
        settle_for_membarrier();
    else if (interim && settle_for_mprotect() == 0)
        error = 0;
    return error;
}

/*
 * The barrier failed although it was registered. EPERM: the process was restored from a checkpoint,
 * registers again and carries on. ENOMEM passes. Anything else (a filter loaded later) stays. Flush
 * lock.
 */
static int repair_membarrier(void)
{
    int error = os_membarrier_private();

    if (error == -EPERM && os_membarrier_register() == 0)
        error = os_membarrier_private();
    if (error == 0)
        return 0;
    if (!flush_mprotect_is_sound(OS_ARCH, os_cpu_broadcasts_invalidation()))
        return error;
    if (error == -ENOMEM ? flush_page_open() != 0 : settle_for_mprotect() != 0)
        return error;
    return flush_page_flush();
}

#define NOT_CHOSEN 1

/* Returns 0, -errno with nothing flushed, or NOT_CHOSEN. */
static int flush_with_lock_held(void)
{
    if (serving() == SERVING_DEFERRED) {
        int error = see_to_registration();
        if (error)
            return error;
    }
    switch (serving()) {
    case SERVING_MEMBARRIER:
        return repair_membarrier();
    case SERVING_MPROTECT:
        return flush_page_flush();
    default:
        return NOT_CHOSEN;
    }
}

/* ThreadSanitizer does not model fences, and gcc says so; what is fenced here is the host's. */
static void own_fence(void)
{
#ifdef __SANITIZE_THREAD__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wtsan"
#endif
    atomic_thread_fence(memory_order_seq_cst);
#ifdef __SANITIZE_THREAD__
#pragma GCC diagnostic pop
#endif
}

static int flush_by_other_means(void)
{
    switch (serving()) {
    case SERVING_GLOBAL:
        return os_membarrier_global();
    case SERVING_FENCE:
        own_fence();
        return 0;
    default:
        break;
    }
    pthread_mutex_lock(&flush.lock);
    int result = flush_with_lock_held();
    pthread_mutex_unlock(&flush.lock);
    return result;
}

bool flush_process_write_buffers(void)
{
    if (serving() == SERVING_MEMBARRIER && os_membarrier_private() == 0)
        return true;

    int result = flush_by_other_means();
    /* Without a lock held: the panic handler may be a crash reporter, which forks. */
    if (result < 0)
        PANIC(-result, "no process-wide barrier: the flush has failed, and nothing else is sound");
    return result != NOT_CHOSEN;
}

/* Flush lock. */
static PAL_FLUSH_METHOD method_by_now(void)
{
    switch (flush.choice.registration) {
    case PAL_FLUSH_REGISTRATION_DEFERRED:
        return interim_method();
    case PAL_FLUSH_REGISTRATION_STARTED:
        return PAL_FLUSH_METHOD_MPROTECT;
    default:
        return flush.choice.method;
    }
}

bool flush_get_info(PAL_FLUSH_INFO *ret_info)
{
    pthread_mutex_lock(&flush.lock);
    bool chosen = serving() != SERVING_NOTHING_YET;
    if (chosen)
        *ret_info = (PAL_FLUSH_INFO){
            .method = flush.choice.method,
            .interim = method_by_now(),
            .registration = flush.choice.registration,
            .locked = flush_page_is_locked(),
        };
    pthread_mutex_unlock(&flush.lock);
    return chosen;
}

const char *flush_method_name(PAL_FLUSH_METHOD method)
{
    switch (method) {
    case PAL_FLUSH_METHOD_NONE:
        return "none";
    case PAL_FLUSH_METHOD_MEMBARRIER:
        return "membarrier";
    case PAL_FLUSH_METHOD_MPROTECT:
        return "mprotect";
    case PAL_FLUSH_METHOD_GLOBAL:
        return "global";
    default:
        return NULL;
    }
}

void flush_before_fork(void)
{
    pthread_mutex_lock(&flush.lock);
}

void flush_after_fork_in_parent(void)
{
    pthread_mutex_unlock(&flush.lock);
}

void flush_after_fork_in_child(void)
{
    registrar_forget();
    if (flush.choice.registration == PAL_FLUSH_REGISTRATION_STARTED) {
        flush.choice.registration = PAL_FLUSH_REGISTRATION_DEFERRED;
        serve_by(SERVING_DEFERRED);
    }
    flush_page_relock();
    pthread_mutex_unlock(&flush.lock);
}
