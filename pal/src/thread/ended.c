/* SPDX-License-Identifier: MIT */
#include "thread/ended.h"

#include <stddef.h>

#include "os/clock.h"
#include "os/native_thread.h"
#include "thread/roster.h"
#include "thread/thread.h"

/* A thread that hangs in a destructor of the host's is passed over, but not any number of them. */
#define LOOKED_AT 16

/* How long to wait for the last: most are gone at once; one may be off its processor for a while.
 */
#define YIELDS 300
#define NAPS 50
#define NAP_NS 1000000u

static struct {
    struct thread *first; /* threads lock; the oldest */
    struct thread **last; /* threads lock; the link that the next one goes into */
    unsigned count;       /* threads lock */
} ended = {.last = &ended.first};

void ended_add(struct thread *thread)
{
    thread->next = NULL;
    *ended.last = thread;
    ended.last = &thread->next;
    ended.count++;
}

/* Takes those that are gone off the list; they are linked by `next`. Threads lock. */
static struct thread *take_gone(void)
{
    struct thread *gone = NULL;
    struct thread **link = &ended.first;
    int still_there = 0;

    while (*link && still_there < LOOKED_AT) {
        struct thread *thread = *link;
        if (os_thread_try_join(thread->native)) {
            *link = thread->next;
            thread->next = gone;
            gone = thread;
            ended.count--;
        } else {
            link = &thread->next;
            still_there++;
        }
    }
    if (!*link)
        ended.last = link;
    return gone;
}

static void put_away(struct thread *gone)
{
    stack_give(gone->stack);
    object_release(&gone->waitable.object);
}

void ended_collect(unsigned limit)
{
    threads_lock();
    struct thread *gone = ended.count > limit ? take_gone() : NULL;
    threads_unlock();
    while (gone) {
        struct thread *next = gone->next;
        put_away(gone);
        gone = next;
    }
}

void ended_collect_all(void)
{
    for (int i = 0; i < YIELDS + NAPS; i++) {
        ended_collect(0);
        threads_lock();
        unsigned left = ended.count;
        threads_unlock();
        if (left == 0)
            break;
        if (i < YIELDS)
            os_thread_yield();
        else
            os_clock_sleep(NAP_NS);
    }
}

void ended_after_fork_in_child(void)
{
    struct thread *thread = ended.first;

    ended.first = NULL;
    ended.last = &ended.first;
    ended.count = 0;
    while (thread) {
        struct thread *next = thread->next;
        /* A destructor of the host's may have forked, on the stack of a thread that had ended. */
        if (!pthread_equal(thread->native, pthread_self()))
            put_away(thread);
        thread = next;
    }
}
