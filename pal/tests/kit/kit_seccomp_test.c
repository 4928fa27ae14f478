/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "child.h"
#include "latch.h"
#include "seccomp.h"
#include "test.h"

static void expect_denied(int index, void *arg)
{
    (void)index;
    (void)arg;
    errno = 0;
    EXPECT_EQ(syscall(SYS_getpriority, PRIO_PROCESS, 0), -1);
    EXPECT_EQ(errno, EOWNERDEAD);
}

static void deny(void *arg)
{
    SKIP_UNLESS(kit_deny_syscall(SYS_getpriority, EOWNERDEAD) == 0, "no seccomp filters");
    expect_denied(0, arg);
    struct kit_threads threads;
    (void)kit_threads_start(&threads, 2, expect_denied, arg);
    kit_threads_join(&threads);
}

PAL_TEST(kit_seccomp, denies_with_an_error)
{
    const struct kit_child_result result = kit_run_child(deny, NULL);
    EXPECT_CHILD_OK(result);
}

static void pretend(void *arg)
{
    (void)arg;
    SKIP_UNLESS(kit_deny_syscall(SYS_getppid, 0) == 0, "no seccomp filters");
    EXPECT_EQ(syscall(SYS_getppid), 0);
}

PAL_TEST(kit_seccomp, denies_with_success)
{
    const struct kit_child_result result = kit_run_child(pretend, NULL);
    EXPECT_CHILD_OK(result);
}

static void deny_one_argument(void *arg)
{
    (void)arg;
    SKIP_UNLESS(kit_deny_syscall_arg0(SYS_getpriority, PRIO_USER, ERANGE) == 0,
                "no seccomp filters");
    EXPECT_GT(syscall(SYS_getpriority, PRIO_PROCESS, 0), 0);
    EXPECT_EQ(syscall(SYS_getpriority, PRIO_USER, 0), -1);
    EXPECT_EQ(errno, ERANGE);
}

PAL_TEST(kit_seccomp, denies_one_first_argument)
{
    const struct kit_child_result result = kit_run_child(deny_one_argument, NULL);
    EXPECT_CHILD_OK(result);
}

static void be_killed(void *arg)
{
    (void)arg;
    SKIP_UNLESS(kit_kill_on_syscall(SYS_getppid) == 0, "no seccomp filters");
    (void)syscall(SYS_getppid);
    FAIL("still alive");
}

PAL_TEST(kit_seccomp, kills)
{
    const struct kit_child_result result = kit_run_child(be_killed, NULL);
    RETURN_IF_SKIPPED();
    EXPECT_EQ(result.signal, SIGSYS);
}
