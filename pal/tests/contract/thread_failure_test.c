/* SPDX-License-Identifier: MIT */
/* Threads that are not to be had: codes, causes, and nothing left behind. */
#include <errno.h>
#include <pal.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "contract/threads.h"
#include "kit/child.h"
#include "kit/limits.h"
#include "kit/process.h"
#include "kit/resources.h"
#include "kit/seccomp.h"
#include "kit/test.h"

/* As often as a leak needs to show. */
static void expect_failures(int error)
{
    EXPECT_EQ(CreateThread(NULL, 0, thread_returns, NULL, 0, NULL), NULL); /* whose stack is kept */
    const struct kit_resources before = kit_resources_now();
    const long memory_before = anonymous_kib();
    HANDLE source = NULL;

    ASSERT_TRUE(DuplicateHandle(GetCurrentProcess(), GetCurrentThread(), GetCurrentProcess(),
                                &source, 0, FALSE, DUPLICATE_SAME_ACCESS));
    for (int i = 0; i < 2000; i++) {
        DWORD id = 0;
        errno = 0;
        SetLastError(ERROR_SUCCESS);
        HANDLE thread = CreateThread(NULL, 0, thread_returns, NULL, i % 2 ? CREATE_SUSPENDED : 0,
                                     i % 3 ? &id : NULL);
        const int error_number = errno;
        ASSERT_EQ(thread, NULL);
        ASSERT_EQ(GetLastError(), (DWORD)ERROR_MAX_THRDS_REACHED);
        ASSERT_EQ(error_number, error);
    }
    EXPECT_RESOURCES_EQ(before, kit_resources_after(&before));
    expect_no_growth(memory_before, anonymous_kib());
    /* What needs no thread goes on. */
    EXPECT_EQ(GetThreadId(source), GetCurrentThreadId());
    EXPECT_TRUE(CloseHandle(source));
}

static void warm_up(void)
{
    kit_resources_warm_up();
    const int tasks = kit_resources_now().tasks;
    thread_finish(thread_start(thread_returns, NULL));
    (void)resources_when_settled(tasks);
}

struct denial {
    int error;
    bool works;
};

static void with_clone3_denied(void *arg)
{
    const struct denial *denial = arg;

    ASSERT_EQ(PAL_InitializeDLL(), 0);
    warm_up();
#ifdef SYS_clone3
    SKIP_UNLESS(kit_deny_syscall(SYS_clone3, denial->error) == 0, "no seccomp here");
#endif
    if (denial->works)
        for (int i = 0; i < 10; i++)
            EXPECT_EQ(thread_finish(thread_start(thread_returns, (LPVOID)5)), 5u);
    else
        expect_failures(denial->error);
    PAL_Terminate();
}

PAL_TEST(thread_failure, clone3_is_denied)
{
#ifndef __GLIBC__
    SKIP("only glibc uses clone3");
#endif
    struct denial denial = {.error = EPERM};
    struct kit_child_result result = kit_run_child(with_clone3_denied, &denial);
    EXPECT_CHILD_OK(result);
    EXPECT_STRHAS(PAL_CreateThreadHint(EPERM), "container profile");
}

PAL_TEST(thread_failure, clone3_is_not_known)
{
    struct denial denial = {.error = ENOSYS, .works = true};
    struct kit_child_result result = kit_run_child(with_clone3_denied, &denial);
    EXPECT_CHILD_OK(result);
}

PAL_TEST(thread_failure, hints)
{
    EXPECT_STRHAS(PAL_CreateThreadHint(EAGAIN), "ulimit -u");
    EXPECT_STRHAS(PAL_CreateThreadHint(EAGAIN), "pids");
    EXPECT_TRUE(PAL_CreateThreadHint(ENOMEM) != NULL);
    EXPECT_TRUE(PAL_CreateThreadHint(0) == NULL);
    EXPECT_TRUE(PAL_CreateThreadHint(-1) == NULL);
    EXPECT_TRUE(PAL_CreateThreadHint(EBADF) == NULL);
}

static void as_a_user_with_no_processes_left(void *unused)
{
    (void)unused;
    SKIP_UNLESS(kit_drop_privileges() == 0, "privileges cannot be dropped");
    ASSERT_EQ(PAL_InitializeDLL(), 0);
    warm_up();
    ASSERT_EQ(kit_limit(RLIMIT_NPROC, 1), 0);
    expect_failures(EAGAIN);
    PAL_Terminate();
}

PAL_TEST(thread_failure, limit_of_a_user)
{
    struct kit_child_result result = kit_run_child(as_a_user_with_no_processes_left, NULL);
    EXPECT_CHILD_OK(result);
}

/* The kernel lets go of a thread a moment after its end. */
static bool can_create_again(void)
{
    const double deadline = kit_clock() + 10;
    unsigned turns = 0;
    HANDLE thread;

    while (!(thread = CreateThread(NULL, 0, thread_returns, (LPVOID)5, 0, NULL)) &&
           kit_clock() < deadline)
        kit_pause(&turns);
    return thread && thread_finish(thread) == 5;
}

static void with_five_tasks_allowed(void *cgroup)
{
    struct held held[5];
    int count = 0;

    ASSERT_EQ(kit_cgroup_enter(cgroup), 0);
    ASSERT_EQ(PAL_InitializeDLL(), 0);
    while (count < 4 && held_start(&held[count]))
        count++;
    ASSERT_EQ(count, 4);
    expect_failures(EAGAIN);
    held_finish(&held[--count]);
    EXPECT_TRUE(can_create_again());
    while (count > 0)
        held_finish(&held[--count]);
    PAL_Terminate();
}

PAL_TEST(thread_failure, limit_of_a_control_group)
{
    struct kit_cgroup cgroup;

    SKIP_UNLESS(!KIT_TSAN, "ThreadSanitizer has a thread of its own");
    SKIP_UNLESS(kit_cgroup_create(&cgroup, 5) == 0, "no pids control group to be had");
    struct kit_child_result result = kit_run_child(with_five_tasks_allowed, &cgroup);
    EXPECT_CHILD_OK(result);
    EXPECT_EQ(kit_cgroup_remove(&cgroup), 0);
}

static void use_threads(void)
{
    struct held held;

    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    ASSERT_TRUE(held_start(&held));
    EXPECT_TRUE(SetThreadPriority(held.handle, THREAD_PRIORITY_TIME_CRITICAL));
    EXPECT_TRUE(SetThreadPriority(GetCurrentThread(), THREAD_PRIORITY_IDLE));
    held_finish(&held);
    EXPECT_EQ(thread_finish(thread_start(thread_returns, (LPVOID)5)), 5u);
    PAL_Terminate();
}

static void with_affinity_denied(void *unused)
{
    (void)unused;
    /* A sanitizer asks for each thread's stack, for which libc asks for this. */
    if (!KIT_SANITIZED)
        SKIP_UNLESS(kit_deny_syscall(SYS_sched_getaffinity, EPERM) == 0, "no seccomp here");
    SKIP_UNLESS(kit_deny_syscall(SYS_sched_setaffinity, EPERM) == 0, "no seccomp here");
    use_threads();
}

PAL_TEST(thread_failure, affinity_calls_are_denied)
{
    struct kit_child_result result = kit_run_child(with_affinity_denied, NULL);
    EXPECT_CHILD_OK(result);
}

/* Nobody changed a mask or a priority, so there is nothing to tell the kernel. */
static void with_scheduling_calls_deadly(void *unused)
{
    const int calls[] = {SYS_sched_setaffinity, SYS_sched_setscheduler, SYS_sched_setparam,
                         SYS_sched_setattr, SYS_setpriority};

    (void)unused;
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
        SKIP_UNLESS(kit_kill_on_syscall(calls[i]) == 0, "no seccomp here");
    use_threads();
}

PAL_TEST(thread_failure, scheduling_is_left_alone)
{
    struct kit_child_result result = kit_run_child(with_scheduling_calls_deadly, NULL);
    EXPECT_CHILD_OK(result);
}

/* Under a sanitizer each takes megabytes. */
enum { MANY = KIT_SANITIZED ? 256 : 4096 };

static HANDLE handles[MANY];

PAL_TEST(thread_failure, many_live_threads_or_a_clean_failure)
{
    struct held shared;
    int count = 0;

    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    kit_resources_warm_up();
    const int tasks = kit_resources_now().tasks;
    thread_finish(thread_start(thread_returns, NULL));
    const struct kit_resources before = resources_when_settled(tasks);
    held_init(&shared);
    kit_latch_init(&shared.running, MANY);
    while (count < MANY) {
        errno = 0;
        SetLastError(ERROR_SUCCESS);
        handles[count] = CreateThread(NULL, 64 * 1024, held_body, &shared, 0, NULL);
        if (!handles[count])
            break;
        count++;
    }
    if (count < MANY) {
        const int error = errno;
        EXPECT_TRUE(GetLastError() == ERROR_MAX_THRDS_REACHED ||
                    GetLastError() == ERROR_NOT_ENOUGH_MEMORY);
        EXPECT_TRUE(error == EAGAIN || error == ENOMEM);
        EXPECT_TRUE(PAL_CreateThreadHint(error) != NULL);
        EXPECT_GT(count, 0);
    }
    for (int i = count; i < MANY; i++)
        kit_latch_arrive(&shared.running); /* for those that are not there */
    kit_latch_wait(&shared.running);
    for (int i = 0; i < count; i++)
        EXPECT_EQ(WaitForSingleObject(handles[i], 0), (DWORD)WAIT_TIMEOUT);
    kit_latch_arrive(&shared.release);
    for (int i = 0; i < count; i++)
        EXPECT_EQ(thread_finish(handles[i]), 0u);
    EXPECT_TRUE(can_create_again());
    const struct kit_resources after = kit_resources_after(&before);
    EXPECT_EQ(after.tasks, before.tasks);
    EXPECT_EQ(after.descriptors, before.descriptors);
    PAL_Terminate();
}
