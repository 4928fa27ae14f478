/* SPDX-License-Identifier: MIT */
/*
 * The sync manager's worker: the one thread of the library's own, which runs the jobs that no
 * thread of the host should have to wait for. Jobs arrive over an eventfd, so that later it can
 * watch other descriptors in the same sleep.
 *
 * manager_open, manager_close, worker_start and worker_stop are called with the init lock held; the
 * rest from any thread.
 */
#ifndef SYNC_MANAGER_H
#define SYNC_MANAGER_H

#include <stdbool.h>

/* Owned by the submitter, by the worker from the submission until `run` is entered. */
struct worker_job {
    void (*run)(struct worker_job *job);
    struct worker_job *next;
};

/* Opens the descriptor that the worker is woken by. Returns 0 or -errno. */
int manager_open(void);
void manager_close(void);

/* Starts the worker; does not wait for it to run. Returns 0 or -errno. */
int worker_start(void);

/* Ends the worker, after the jobs that it was given, and waits for that. */
void worker_stop(void);

/* Queues a job, first come first served. False, and the job is not taken, when no worker runs. */
bool worker_submit(struct worker_job *job);

/* Around fork: the manager's lock, and in the child, where the worker is gone, a fresh start. */
void manager_before_fork(void);
void manager_after_fork_in_parent(void);
void manager_after_fork_in_child(void);

#endif
