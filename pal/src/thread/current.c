/* SPDX-License-Identifier: MIT */
#include "thread/current.h"

#include <errno.h>
#include <limits.h>

#include "base/panic.h"
#include "os/native_thread.h"
#include "thread/roster.h"

/*
 * libc runs the destructors of all keys round by round, four times at most. Ours lets one pass, so
 * that the host's destructors still have a record. Were it to let more pass, a thread that attached
 * itself in the second would never be seen again; nobody can tell it which round it is.
 */
#define LAST_ROUND 2

_Static_assert(LAST_ROUND < PTHREAD_DESTRUCTOR_ITERATIONS, "sanitizers leave in the last one");

static _Thread_local struct thread *current;
static _Thread_local int rounds; /* of destructors that the thread has seen */
static _Thread_local DWORD id;   /* 0: not asked for yet */

static pthread_key_t key; /* init lock; its value is the record, to have it detached */
static bool ready;        /* init lock and threads lock to change */

static void destructor(void *value)
{
    struct thread *thread = value;

    if (++rounds < LAST_ROUND && pthread_setspecific(key, thread) == 0)
        return;
    rounds = LAST_ROUND;
    current = NULL;
    thread_end(thread);
}

static void set_ready(bool is_ready)
{
    threads_lock();
    ready = is_ready;
    threads_unlock();
}

int current_init(void)
{
    if (ready)
        return 0;
    int error = os_thread_key_create(&key, destructor);
    if (error == 0)
        set_ready(true);
    return error;
}

void current_fini(void)
{
    struct thread *thread = current;

    if (thread && !thread->created) {
        current = NULL;
        (void)pthread_setspecific(key, NULL);
        thread_end(thread);
    }
    threads_lock();
    bool last = !roster_first();
    if (last)
        ready = false;
    threads_unlock();
    if (last)
        (void)pthread_key_delete(key);
}

bool current_is_ready(void)
{
    return ready;
}

struct thread *current_peek(void)
{
    return current;
}

static PAL_ERROR attach(void)
{
    struct thread *thread;
    PAL_ERROR error = thread_enrol(false, &thread);

    if (error)
        return error;
    if (pthread_setspecific(key, thread) != 0) {
        thread_end(thread);
        return ERROR_NOT_ENOUGH_MEMORY;
    }
    current = thread;
    thread_publish_id(thread);
    return ERROR_SUCCESS;
}

PAL_ERROR current_get(struct thread **ret_thread)
{
    if (!current) {
        if (rounds == LAST_ROUND)
            return ERROR_NOT_READY;
        PAL_ERROR error = attach();
        if (error)
            return error;
    }
    *ret_thread = current;
    return ERROR_SUCCESS;
}

void current_adopt(struct thread *thread)
{
    int error = pthread_setspecific(key, thread);

    if (error)
        PANIC(error, "pthread_setspecific in a new thread");
    current = thread;
    thread_publish_id(thread);
}

DWORD current_id(void)
{
    if (id == 0)
        id = (DWORD)os_thread_id();
    return id;
}

void current_after_fork_in_child(void)
{
    id = 0;
    if (current)
        thread_publish_id(current);
}
