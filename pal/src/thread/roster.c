/* SPDX-License-Identifier: MIT */
#include "thread/roster.h"

#include <pthread.h>

#include "thread/thread.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct thread *first; /* threads lock */

void threads_lock(void)
{
    pthread_mutex_lock(&lock);
}

void threads_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

struct thread *roster_first(void)
{
    return first;
}

void roster_add(struct thread *thread)
{
    thread->next = first;
    thread->link = &first;
    if (first)
        first->link = &thread->next;
    first = thread;
}

void roster_remove(struct thread *thread)
{
    *thread->link = thread->next;
    if (thread->next)
        thread->next->link = thread->link;
}
