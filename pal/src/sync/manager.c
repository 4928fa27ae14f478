/* SPDX-License-Identifier: MIT */
#include "sync/manager.h"

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "os/eventfd.h"
#include "os/native_thread.h"

#define WORKER_NAME "pal-worker"
#define WORKER_STACK_SIZE ((size_t)128 * 1024)
#define NO_FD (-1)

/* Many times what its longest job takes, an RCU grace period. */
#define STOP_SECONDS 2

static struct {
    pthread_mutex_t lock;
    struct worker_job *first; /* lock */
    struct worker_job **last; /* lock; the link that the next job goes into */
    bool accepting;           /* lock; a worker runs and will look at the queue again */
    bool stopping;            /* lock; the worker ends once the queue is empty */
    int wake_fd;              /* init lock; constant while a worker runs */
    struct os_thread thread;  /* init lock */
} manager = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .last = &manager.first,
    .wake_fd = NO_FD,
};

int manager_open(void)
{
    int fd = os_eventfd_open();
    if (fd < 0)
        return fd;
    manager.wake_fd = fd;
    return 0;
}

void manager_close(void)
{
    os_eventfd_close(manager.wake_fd);
    manager.wake_fd = NO_FD;
}

/* Takes the oldest job, if any. *ret_stop: there is none, and there will be none. */
static struct worker_job *take_job(bool *ret_stop)
{
    pthread_mutex_lock(&manager.lock);
    struct worker_job *job = manager.first;
    if (job) {
        manager.first = job->next;
        if (!manager.first)
            manager.last = &manager.first;
    }
    *ret_stop = !job && manager.stopping;
    pthread_mutex_unlock(&manager.lock);
    return job;
}

static void run_jobs(bool *ret_stop)
{
    struct worker_job *job;

    while ((job = take_job(ret_stop)))
        job->run(job);
}

static void worker_run(void)
{
    /* Sleeps first: every job comes with a signal, and looking would meet the starter's lock. */
    while (os_eventfd_wait(manager.wake_fd) == 0) {
        bool stop;
        run_jobs(&stop);
        if (stop)
            return;
    }
    (void)dprintf(STDERR_FILENO,
                  "pal: the worker ends: its descriptor was closed by someone else\n");
    pthread_mutex_lock(&manager.lock);
    manager.accepting = false;
    pthread_mutex_unlock(&manager.lock);
}

int worker_start(void)
{
    manager.stopping = false;
    int error = os_thread_start(&manager.thread, WORKER_NAME, WORKER_STACK_SIZE, worker_run);
    if (error)
        return error;
    pthread_mutex_lock(&manager.lock);
    manager.accepting = true;
    pthread_mutex_unlock(&manager.lock);
    return 0;
}

void worker_stop(void)
{
    pthread_mutex_lock(&manager.lock);
    manager.accepting = false;
    manager.stopping = true;
    pthread_mutex_unlock(&manager.lock);

    /* Signalled, it ends; unless the number is an eventfd of the host's by now, and it sleeps on.
     */
    if (os_eventfd_signal(manager.wake_fd) == 0 &&
        os_thread_join_within(&manager.thread, STOP_SECONDS))
        return;
    /* It sleeps on a description that nobody can reach any more: no wake-up, but no work either. */
    manager.wake_fd = NO_FD;
    (void)dprintf(STDERR_FILENO,
                  "pal: the worker is left asleep: its descriptor was closed by someone else\n");
    os_thread_detach(&manager.thread);
}

bool worker_submit(struct worker_job *job)
{
    pthread_mutex_lock(&manager.lock);
    bool taken = manager.accepting && os_eventfd_signal(manager.wake_fd) == 0;
    if (taken) {
        job->next = NULL;
        *manager.last = job;
        manager.last = &job->next;
    }
    pthread_mutex_unlock(&manager.lock);
    return taken;
}

void manager_before_fork(void)
{
    pthread_mutex_lock(&manager.lock);
}

void manager_after_fork_in_parent(void)
{
    pthread_mutex_unlock(&manager.lock);
}

void manager_after_fork_in_child(void)
{
    manager.first = NULL;
    manager.last = &manager.first;
    manager.accepting = false;
    /* The description is shared with the parent: let go of it, never write to it. */
    if (manager.wake_fd != NO_FD)
        manager_close();
    pthread_mutex_unlock(&manager.lock);
}
