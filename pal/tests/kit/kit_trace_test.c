/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "latch.h"
#include "test.h"
#include "trace.h"

static void make_calls(void *arg)
{
    (void)arg;
    (void)syscall(SYS_getpriority, PRIO_USER, 0);
    kit_trace_mark(1);
    (void)syscall(SYS_getpriority, PRIO_PROCESS, 0);
    (void)syscall(SYS_getpriority, 77, 0);
    kit_trace_mark(2);
}

PAL_TEST(kit_trace, records_calls_in_order)
{
    struct kit_trace_log log;
    SKIP_UNLESS(kit_trace(make_calls, NULL, &log) == 0, "ptrace is refused");
    EXPECT_EQ(log.exit_code, 0);
    /* Not begin - 1: a sanitizer's run time may make a call of its own in between. */
    const int ahead = kit_trace_find(&log, 0, SYS_getpriority, PRIO_USER);
    const int begin = kit_trace_find_mark(&log, 0, 1);
    const int end = kit_trace_find_mark(&log, 0, 2);
    const int good = kit_trace_find(&log, begin, SYS_getpriority, PRIO_PROCESS);
    const int bad = kit_trace_find(&log, begin, SYS_getpriority, 77);
    EXPECT_GE(ahead, 0);
    EXPECT_LT(begin, good);
    EXPECT_LT(good, bad);
    EXPECT_LT(bad, end);
    EXPECT_EQ(ahead, kit_trace_find(&log, 0, SYS_getpriority, KIT_ANY));
    EXPECT_LT(ahead, begin);
    EXPECT_EQ(kit_trace_find(&log, begin, SYS_getpriority, PRIO_USER), -1);
    EXPECT_EQ(kit_trace_find(&log, begin, SYS_getpriority, KIT_ANY), good);
    EXPECT_EQ(kit_trace_find_mark(&log, 0, 3), -1);
    ASSERT_GT(bad, 0);
    EXPECT_GT(log.calls[good].result, 0);
    EXPECT_EQ(log.calls[bad].result, -EINVAL);
    EXPECT_TRUE(log.calls[bad].finished);
    EXPECT_EQ(log.calls[bad].end, bad + 1);
    EXPECT_EQ(log.calls[bad].task, 0);
    kit_trace_free(&log);
}

static void call_with_index(int index, void *arg)
{
    (void)arg;
    (void)syscall(SYS_getpriority, 100 + index, 0);
}

static void have_threads_and_a_child(void *arg)
{
    struct kit_threads threads;
    (void)kit_threads_start(&threads, 4, call_with_index, arg);
    kit_threads_join(&threads);
    const pid_t pid = fork();
    if (pid == 0) {
        call_with_index(50, NULL);
        (void)raise(SIGKILL);
    }
    int status = 0;
    EXPECT_EQ(waitpid(pid, &status, 0), pid);
    EXPECT_TRUE(WIFSIGNALED(status));
}

PAL_TEST(kit_trace, follows_threads_and_children)
{
    struct kit_trace_log log;
    SKIP_UNLESS(kit_trace(have_threads_and_a_child, NULL, &log) == 0, "ptrace is refused");
    EXPECT_EQ(log.exit_code, 0);
    ASSERT_GT(log.count, 0);
    for (int i = 0; i < 4; i++) {
        const int at = kit_trace_find(&log, 0, SYS_getpriority, 100 + i);
        ASSERT_NE(at, -1);
        EXPECT_EQ(log.calls[at].pid, log.calls[0].pid);
        EXPECT_NE(log.calls[at].tid, log.calls[0].pid);
        EXPECT_GT(log.calls[at].task, 0);
    }
    const int at = kit_trace_find(&log, 0, SYS_getpriority, 150);
    ASSERT_NE(at, -1);
    EXPECT_NE(log.calls[at].pid, log.calls[0].pid);
    EXPECT_EQ(log.calls[at].pid, log.calls[at].tid);
    kit_trace_free(&log);
}

static volatile sig_atomic_t received;

static void receive(int number)
{
    received = number;
}

static void send_signals(void *arg)
{
    (void)arg;
    (void)signal(SIGUSR1, receive);
    (void)raise(SIGUSR1);
    EXPECT_EQ((int)received, SIGUSR1);
    const pid_t pid = fork();
    if (pid == 0) {
        (void)raise(SIGSTOP);
        _exit(9);
    }
    int status = 0;
    EXPECT_EQ(waitpid(pid, &status, WUNTRACED), pid);
    EXPECT_TRUE(WIFSTOPPED(status));
    EXPECT_EQ(kill(pid, SIGCONT), 0);
    EXPECT_EQ(waitpid(pid, &status, 0), pid);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 9);
}

PAL_TEST(kit_trace, leaves_signals_and_stops_alone)
{
    struct kit_trace_log log;
    SKIP_UNLESS(kit_trace(send_signals, NULL, &log) == 0, "ptrace is refused");
    EXPECT_EQ(log.exit_code, 0);
    kit_trace_free(&log);
}

static void die(void *arg)
{
    (void)arg;
    (void)raise(SIGKILL);
}

PAL_TEST(kit_trace, survives_the_end_of_the_traced)
{
    struct kit_trace_log log;
    SKIP_UNLESS(kit_trace(die, NULL, &log) == 0, "ptrace is refused");
    EXPECT_EQ(log.exit_code, -1);
    EXPECT_EQ(log.signal, SIGKILL);
    EXPECT_FALSE(log.timed_out);
    kit_trace_free(&log);
}

PAL_TEST(kit_trace, records_a_program)
{
    struct kit_trace_log log;
    char *const argv[] = {(char *)"sh", (char *)"-c", (char *)"exit 5", NULL};
    SKIP_UNLESS(kit_trace_program(argv, NULL, &log) == 0, "ptrace is refused");
    EXPECT_EQ(log.exit_code, 5);
    const int exec = kit_trace_find(&log, 0, SYS_execve, KIT_ANY);
    ASSERT_NE(exec, -1);
    const int end = kit_trace_find(&log, exec, SYS_exit_group, 5);
    ASSERT_NE(end, -1);
    EXPECT_FALSE(log.calls[end].finished);
    kit_trace_free(&log);
}

static void execute(int index, void *arg)
{
    (void)index;
    (void)arg;
    char *const argv[] = {(char *)"sh", (char *)"-c", (char *)"exit 6", NULL};
    (void)kit_exec(argv, NULL);
}

static void execute_in_thread(void *arg)
{
    struct kit_threads threads;
    (void)kit_threads_start(&threads, 1, execute, arg);
    kit_threads_join(&threads);
}

PAL_TEST(kit_trace, follows_a_program_started_by_a_thread)
{
    struct kit_trace_log log;
    SKIP_UNLESS(kit_trace(execute_in_thread, NULL, &log) == 0, "ptrace is refused");
    EXPECT_EQ(log.exit_code, 6);
    kit_trace_free(&log);
}

static void fail_traced(void *arg)
{
    (void)arg;
    EXPECT_EQ(21, 22);
}

static void trace_failure(void *arg)
{
    struct kit_trace_log log;
    SKIP_UNLESS(kit_trace(fail_traced, arg, &log) == 0, "ptrace is refused");
    EXPECT_EQ(log.exit_code, KIT_CHILD_FAILED);
    kit_trace_free(&log);
}

PAL_TEST(kit_trace, failures_in_the_body_count)
{
    const struct kit_child_result result = kit_probe_child(trace_failure, NULL, 60);
    SKIP_UNLESS(result.exit_code != KIT_CHILD_SKIPPED, "ptrace is refused");
    EXPECT_STRHAS(result.report, "21 == 22");
}
