/* SPDX-License-Identifier: MIT */
/* The worker: takes jobs in order, ends when told, keeps off the host's signals and descriptors. */
#include "sync/manager.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kit/child.h"
#include "kit/fault.h"
#include "kit/latch.h"
#include "kit/process.h"
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

/* (Fork runs the handlers of init/fork.c.) The worker of the parent is not disturbed by what a
 * child does with what it inherited. */
static void child_looks_around(void *arg)
{
    struct numbered_job job = {.job.run = note_number};

    (void)arg;
    EXPECT_FALSE(worker_submit(&job.job));
    ASSERT_EQ(manager_open(), 0);
    EXPECT_FALSE(worker_submit(&job.job));
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
    struct kit_child_result result = kit_run_child(child_looks_around, NULL);
    EXPECT_CHILD_OK(result);
    EXPECT_TRUE(worker_submit(&job));
    worker_stop();
    manager_close();
    EXPECT_STREQ(worker_name, "pal-worker");
}

/* The number that the next descriptor gets. */
static int next_fd(void)
{
    int fd = dup(STDIN_FILENO);

    (void)close(fd);
    return fd;
}

static void lets_go(void *arg)
{
    const int *wake_fd = arg;

    EXPECT_EQ(fcntl(*wake_fd, F_GETFD), -1);
    EXPECT_EQ(errno, EBADF);
}

/* The description is shared: a write to it in the child would wake the parent's worker. */
PAL_TEST(manager, forked_child_closes_the_descriptor_and_never_writes_to_it)
{
    int wake_fd = next_fd();

    SKIP_UNLESS(wake_fd > STDERR_FILENO, "a standard descriptor is closed");
    ASSERT_EQ(manager_open(), 0);
    struct pollfd wake = {.fd = wake_fd, .events = POLLIN};
    ASSERT_EQ(poll(&wake, 1, 0), 0); /* it is open, and nobody has written to it */
    struct kit_child_result result = kit_run_child(lets_go, &wake_fd);
    EXPECT_CHILD_OK(result);
    EXPECT_EQ(poll(&wake, 1, 0), 0);
    manager_close();
}

static struct kit_latch worker_may_go_on;

static void keep_the_worker(struct worker_job *job)
{
    (void)job;
    kit_latch_arrive(&worker_runs);
    kit_latch_wait(&worker_may_go_on);
}

/* The jobs that were queued at the fork are the parent's to run, and only the parent's. */
PAL_TEST(manager, forked_child_does_not_run_the_jobs_of_its_parent)
{
    SKIP_UNLESS(!KIT_TSAN, "ThreadSanitizer starts no thread after a fork of several");
    struct worker_job first = {.run = keep_the_worker};
    static struct numbered_job queued = {.job.run = note_number};

    ASSERT_EQ(manager_open(), 0);
    ASSERT_EQ(worker_start(), 0);
    kit_latch_init(&worker_runs, 1);
    kit_latch_init(&worker_may_go_on, 1);
    EXPECT_TRUE(worker_submit(&first));
    EXPECT_TRUE(worker_submit(&queued.job));
    kit_latch_wait(&worker_runs);
    struct kit_child_result result = kit_run_child(child_looks_around, NULL);
    EXPECT_CHILD_OK(result);
    kit_latch_arrive(&worker_may_go_on);
    worker_stop();
    manager_close();
    EXPECT_EQ(seen_count, 1);
}

static int fd_to_close;

static void close_descriptor(struct worker_job *job)
{
    (void)job;
    (void)close(fd_to_close);
    kit_latch_arrive(&worker_runs);
}

/* The worker finds its descriptor closed: it ends, rather than ask for ever. */
static void close_under_busy_worker(void *unused)
{
    struct worker_job job = {.run = close_descriptor};
    struct kit_resources before = kit_resources_now();

    (void)unused;
    kit_latch_init(&worker_runs, 1);
    fd_to_close = next_fd();
    ASSERT_EQ(manager_open(), 0);
    ASSERT_EQ(worker_start(), 0);
    EXPECT_TRUE(worker_submit(&job));
    kit_latch_wait(&worker_runs);
    EXPECT_EQ(kit_resources_after(&before).tasks, before.tasks);
    EXPECT_FALSE(worker_submit(&job));
    worker_stop();
}

PAL_TEST(manager, closed_descriptor_ends_a_busy_worker)
{
    SKIP_UNLESS(!KIT_TSAN, "the close is a race, and is meant to be");
    struct kit_child_result result = kit_run_child(close_under_busy_worker, NULL);

    EXPECT_CHILD_OK(result);
    EXPECT_STRHAS(result.output, "the worker ends");
}

static size_t worker_stack;

static void measure_your_stack(struct worker_job *job)
{
    pthread_attr_t attributes;

    (void)job;
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
        (void)pthread_attr_getstacksize(&attributes, &worker_stack);
        (void)pthread_attr_destroy(&attributes);
    }
}

/* Not the 8 MB of libc's default, which mlockall makes memory of. */
PAL_TEST(manager, worker_has_a_small_stack)
{
    struct worker_job job = {.run = measure_your_stack};

    SKIP_UNLESS(!KIT_SANITIZED, "a sanitizer makes stacks larger");
    ASSERT_EQ(manager_open(), 0);
    ASSERT_EQ(worker_start(), 0);
    EXPECT_TRUE(worker_submit(&job));
    worker_stop();
    manager_close();
    EXPECT_GT(worker_stack, 0u);
    EXPECT_LE(worker_stack, (size_t)256 * 1024);
}

/* Whichever number it gets: the program that the host executes has nothing to do with it. */
PAL_TEST(manager, descriptor_is_close_on_exec)
{
    int wake_fd = next_fd();

    SKIP_UNLESS(wake_fd > STDERR_FILENO, "a standard descriptor is closed");
    ASSERT_EQ(manager_open(), 0);
    EXPECT_EQ(fcntl(wake_fd, F_GETFD), FD_CLOEXEC);
    manager_close();
}

static _Atomic pid_t worker_tid;

static void tell_your_tid(struct worker_job *job)
{
    (void)job;
    atomic_store(&worker_tid, (pid_t)syscall(SYS_gettid));
}

static struct kit_latch handler_ran;

static void handle(int signal)
{
    (void)signal;
    kit_latch_arrive(&handler_ran);
}

/* A signal that it cannot block, as a profiler or a debugger sends: it wakes, and sleeps on. */
static void interrupt_the_worker(void *unused)
{
    struct worker_job first = {.run = tell_your_tid};
    struct numbered_job second = {.job.run = note_number};
    struct sigaction action = {.sa_handler = handle}; /* no SA_RESTART */

    (void)unused;
    ASSERT_EQ(sigaction(SIGTRAP, &action, NULL), 0);
    kit_latch_init(&handler_ran, 1);
    ASSERT_EQ(manager_open(), 0);
    ASSERT_EQ(worker_start(), 0);
    EXPECT_TRUE(worker_submit(&first));
    while (atomic_load(&worker_tid) == 0 || !kit_is_asleep(atomic_load(&worker_tid)))
        sched_yield();
    ASSERT_EQ(syscall(SYS_tgkill, getpid(), atomic_load(&worker_tid), SIGTRAP), 0);
    kit_latch_wait(&handler_ran);
    EXPECT_TRUE(worker_submit(&second.job));
    worker_stop();
    manager_close();
    EXPECT_EQ(seen_count, 1);
}

PAL_TEST(manager, interrupted_worker_sleeps_on)
{
    SKIP_UNLESS(!KIT_TSAN, "ThreadSanitizer delays signals");
    struct kit_child_result result = kit_run_child(interrupt_the_worker, NULL);

    EXPECT_CHILD_OK(result);
    EXPECT_STREQ(result.output, "");
}

PAL_TEST(manager, nothing_is_taken_by_a_worker_that_did_not_start)
{
    struct worker_job job = {.run = note_number};

    ASSERT_EQ(manager_open(), 0);
    kit_fault(OS_CALL_THREAD_START, 0, 1, EAGAIN);
    EXPECT_EQ(worker_start(), -EAGAIN);
    EXPECT_FALSE(worker_submit(&job));
    manager_close();
}

/* A second worker is not told to stop by what the first was told. */
PAL_TEST(manager, started_again_it_waits_for_jobs)
{
    struct worker_job first = {.run = tell_your_tid};
    struct numbered_job second = {.job.run = note_number};
    struct kit_resources before = kit_resources_now();

    ASSERT_EQ(manager_open(), 0);
    ASSERT_EQ(worker_start(), 0);
    worker_stop();
    ASSERT_EQ(worker_start(), 0);
    EXPECT_TRUE(worker_submit(&first));
    while (kit_resources_now().tasks > before.tasks &&
           (atomic_load(&worker_tid) == 0 || !kit_is_asleep(atomic_load(&worker_tid))))
        sched_yield();
    EXPECT_TRUE(worker_submit(&second.job));
    worker_stop();
    manager_close();
    EXPECT_EQ(seen_count, 1);
}

/* The host closes descriptors that are not its own, and opens a file: that gets the number. */
static void reuse_the_number(void *unused)
{
    struct worker_job job = {.run = note_number};
    int wake_fd = next_fd();

    (void)unused;
    ASSERT_EQ(manager_open(), 0);
    ASSERT_EQ(worker_start(), 0);
    ASSERT_EQ(close(wake_fd), 0);
    int file = memfd_create("of the host", 0);
    ASSERT_EQ(file, wake_fd);
    EXPECT_FALSE(worker_submit(&job));
    worker_stop();
    manager_close();
    EXPECT_EQ(lseek(file, 0, SEEK_END), 0); /* nobody wrote to it */
    EXPECT_EQ(close(file), 0);              /* nor closed it */
}

PAL_TEST(manager, file_of_the_host_is_left_alone)
{
    SKIP_UNLESS(!KIT_TSAN, "the close is a race, and is meant to be");
    struct kit_child_result result = kit_run_child(reuse_the_number, NULL);
    EXPECT_CHILD_OK(result);
    EXPECT_STRHAS(result.output, "closed by someone else");
}

static atomic_int worker_tid;

static void tell_tid(struct worker_job *job)
{
    (void)job;
    atomic_store(&worker_tid, (int)syscall(SYS_gettid));
}

/* Whether a thread of ours sleeps in the kernel. */
static bool sleeps(int tid)
{
    char path[64];
    char stat[128] = "";

    (void)snprintf(path, sizeof path, "/proc/self/task/%d/stat", tid);
    FILE *file = fopen(path, "re");
    if (file) {
        (void)fgets(stat, sizeof stat, file);
        (void)fclose(file);
    }
    return strstr(stat, ") S ") != NULL;
}

/* Nothing tells it from the worker's own, but that the worker does not answer. */
static void reuse_the_number_for_an_eventfd(void *unused)
{
    struct worker_job job = {.run = tell_tid};
    int wake_fd = next_fd();

    (void)unused;
    ASSERT_EQ(manager_open(), 0);
    ASSERT_EQ(worker_start(), 0);
    EXPECT_TRUE(worker_submit(&job));
    while (atomic_load(&worker_tid) == 0 || !sleeps(atomic_load(&worker_tid)))
        (void)sched_yield();
    ASSERT_EQ(close(wake_fd), 0);
    int host = eventfd(0, 0);
    ASSERT_EQ(host, wake_fd);
    worker_stop();
    manager_close();
    EXPECT_EQ(close(host), 0); /* the host's to the end */
}

PAL_TEST(manager, eventfd_of_the_host_is_not_waited_for)
{
    SKIP_UNLESS(!KIT_TSAN, "the close is a race, and is meant to be");
    struct kit_child_result result = kit_run_child(reuse_the_number_for_an_eventfd, NULL);
    EXPECT_CHILD_OK(result);
    EXPECT_STRHAS(result.output, "left asleep");
}
