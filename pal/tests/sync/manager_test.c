/* SPDX-License-Identifier: MIT */
/* The worker: takes jobs in order, ends when told, keeps off the host's signals and descriptors. */
#include "sync/manager.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "kit/child.h"
#include "kit/fault.h"
#include "kit/latch.h"
#include "kit/resources.h"
#include "kit/test.h"

#define JOBS 100

struct numbered_job {
    struct worker_job job;
    int number;
};

static int seen[JOBS];
static int seen_count;

static void note_number(struct worker_job *job)
{
    seen[seen_count++] = ((struct numbered_job *)job)->number;
}

PAL_TEST(manager, stop_finishes_what_was_submitted_in_order)
{
    static struct numbered_job jobs[JOBS];

    ASSERT_EQ(manager_open(), 0);
    ASSERT_EQ(worker_start(), 0);
    for (int i = 0; i < JOBS; i++) {
        jobs[i] = (struct numbered_job){.job.run = note_number, .number = i};
        EXPECT_TRUE(worker_submit(&jobs[i].job));
    }
    worker_stop();
    manager_close();

    ASSERT_EQ(seen_count, JOBS);
    for (int i = 0; i < JOBS; i++)
        EXPECT_EQ(seen[i], i);
}

PAL_TEST(manager, nothing_is_taken_without_a_worker)
{
    struct worker_job job = {.run = note_number};

    EXPECT_FALSE(worker_submit(&job));
    ASSERT_EQ(manager_open(), 0);
    EXPECT_FALSE(worker_submit(&job));
    ASSERT_EQ(worker_start(), 0);
    worker_stop();
    EXPECT_FALSE(worker_submit(&job));
    manager_close();
    EXPECT_EQ(seen_count, 0);
}

PAL_TEST(manager, starts_again_a_hundred_times_without_growth)
{
    struct kit_resources before;

    for (int i = 0; i < 100; i++) {
        ASSERT_EQ(manager_open(), 0);
        ASSERT_EQ(worker_start(), 0);
        worker_stop();
        manager_close();
        if (i == 0) /* libc keeps the first stack for the next thread */
            before = kit_resources_now();
    }
    struct kit_resources after = kit_resources_now();
    EXPECT_RESOURCES_EQ(before, after);
}

static char worker_name[16];
static sigset_t worker_mask;

static void look_at_yourself(struct worker_job *job)
{
    (void)job;
    prctl(PR_GET_NAME, worker_name, 0, 0, 0);
    pthread_sigmask(SIG_SETMASK, NULL, &worker_mask);
}

PAL_TEST(manager, worker_has_a_name_and_no_business_with_signals)
{
    struct worker_job job = {.run = look_at_yourself};
    sigset_t before;
    sigset_t after;

    pthread_sigmask(SIG_SETMASK, NULL, &before);
    ASSERT_EQ(manager_open(), 0);
    ASSERT_EQ(worker_start(), 0);
    pthread_sigmask(SIG_SETMASK, NULL, &after);
    EXPECT_TRUE(worker_submit(&job));
    worker_stop();
    manager_close();

    EXPECT_STREQ(worker_name, "pal-worker");
    EXPECT_TRUE(sigismember(&worker_mask, SIGTERM));
    EXPECT_TRUE(sigismember(&worker_mask, SIGCHLD));
    EXPECT_TRUE(sigismember(&worker_mask, SIGRTMIN));
    EXPECT_TRUE(sigismember(&worker_mask, SIGRTMAX));
    EXPECT_FALSE(sigismember(&worker_mask, SIGSEGV));
    EXPECT_FALSE(sigismember(&worker_mask, SIGBUS));
    for (int signal = 1; signal < SIGRTMAX; signal++)
        EXPECT_EQ(sigismember(&before, signal), sigismember(&after, signal));
}

/* Closing the descriptor under a worker that sleeps on it: one message, no hang. */
static void close_and_stop(void *unused)
{
    (void)unused;
    ASSERT_EQ(manager_open(), 0);
    ASSERT_EQ(worker_start(), 0);
    for (int fd = 3; fd < 20; fd++)
        close(fd);
    struct worker_job job = {.run = note_number};
    EXPECT_FALSE(worker_submit(&job));
    worker_stop();
}

PAL_TEST(manager, closed_descriptor_is_survived)
{
    SKIP_UNLESS(!KIT_TSAN, "the close is a race, and is meant to be");
    struct kit_child_result result = kit_run_child(close_and_stop, NULL);

    EXPECT_CHILD_OK(result);
    EXPECT_STRHAS(result.output, "closed by someone else");
}

/* The worker of the parent is not disturbed by what a child does with what it inherited. */
static void child_looks_around(void *arg)
{
    struct numbered_job job = {.job.run = note_number};

    (void)arg;
    manager_after_fork_in_child();
    EXPECT_FALSE(worker_submit(&job.job));
    ASSERT_EQ(manager_open(), 0);
    ASSERT_EQ(worker_start(), 0);
    EXPECT_TRUE(worker_submit(&job.job));
    worker_stop();
    manager_close();
    EXPECT_EQ(seen_count, 1);
}

static struct kit_latch worker_runs;

static void tell_that_it_runs(struct worker_job *job)
{
    (void)job;
    kit_latch_arrive(&worker_runs);
}

PAL_TEST(manager, forked_child_starts_afresh)
{
    SKIP_UNLESS(!KIT_TSAN, "ThreadSanitizer starts no thread after a fork of several");
    struct worker_job first = {.run = tell_that_it_runs};
    struct worker_job job = {.run = look_at_yourself};

    ASSERT_EQ(manager_open(), 0);
    ASSERT_EQ(worker_start(), 0);
    /* A sanitizer's own locks do not survive a fork during the start of a thread. */
    kit_latch_init(&worker_runs, 1);
    EXPECT_TRUE(worker_submit(&first));
    kit_latch_wait(&worker_runs);
    manager_before_fork();
    struct kit_child_result result = kit_run_child(child_looks_around, NULL);
    manager_after_fork_in_parent();
    EXPECT_CHILD_OK(result);
    EXPECT_TRUE(worker_submit(&job));
    worker_stop();
    manager_close();
    EXPECT_STREQ(worker_name, "pal-worker");
}
