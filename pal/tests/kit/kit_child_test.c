/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "child.h"
#include "process.h"
#include "test.h"

static void exit_with(void *arg)
{
    (void)printf("out\n");
    (void)fflush(stdout);
    (void)fprintf(stderr, "err\n");
    _exit(*(int *)arg);
}

PAL_TEST(kit_child, tells_exit_code_and_output)
{
    int code = 7;
    const struct kit_child_result result = kit_run_child(exit_with, &code);
    EXPECT_EQ(result.exit_code, 7);
    EXPECT_EQ(result.signal, 0);
    EXPECT_FALSE(result.timed_out);
    EXPECT_STREQ(result.output, "out\nerr\n");
}

static void kill_itself(void *arg)
{
    (void)arg;
    EXPECT_EQ(5, 6);
    (void)raise(SIGKILL);
}

PAL_TEST(kit_child, a_crash_does_not_lose_the_report)
{
    const struct kit_child_result result = kit_probe_child(kill_itself, NULL, 60);
    EXPECT_EQ(result.exit_code, -1);
    EXPECT_EQ(result.signal, SIGKILL);
    EXPECT_FALSE(result.timed_out);
    EXPECT_STRHAS(result.report, "5 == 6");
}

static void hang(void *arg)
{
    (void)arg;
    for (;;) {
        (void)pause();
    }
}

PAL_TEST(kit_child, is_killed_when_it_hangs)
{
    const struct kit_child_result result = kit_probe_child(hang, NULL, 0.1);
    EXPECT_TRUE(result.timed_out);
    EXPECT_EQ(result.signal, SIGKILL);
}

static void write_much(void *arg)
{
    (void)arg;
    for (int i = 0; i < 3 * KIT_CHILD_TEXT / 10; i++) {
        (void)printf("%09d\n", i);
    }
}

PAL_TEST(kit_child, keeps_the_beginning_of_the_output)
{
    const struct kit_child_result result = kit_run_child(write_much, NULL);
    ASSERT_CHILD_OK(result);
    EXPECT_EQ(strlen(result.output), KIT_CHILD_TEXT - 1);
    EXPECT_EQ(strncmp(result.output, "000000000\n000000001\n", 20), 0);
}

static void fail(void *arg)
{
    (void)arg;
    EXPECT_EQ(1, 2);
}

static void fail_without_report(void *arg)
{
    for (int descriptor = 3; descriptor < 100; descriptor++) {
        (void)close(descriptor);
    }
    fail(arg);
}

/* A child of a child: the middle one is the test that fails. */
static void have_child(void *arg)
{
    void (*body)(void *) = *(void (**)(void *))arg;
    const struct kit_child_result result = kit_run_child(body, NULL);
    EXPECT_CHILD_OK(result);
}

PAL_TEST(kit_child, failures_reach_the_grandparent)
{
    void (*body)(void *) = fail;
    const struct kit_child_result result = kit_probe_child(have_child, &body, 60);
    EXPECT_EQ(result.exit_code, KIT_CHILD_FAILED);
    EXPECT_STRHAS(result.report, "1 == 2");
    EXPECT_EQ(strstr(result.report, "lost"), NULL);
}

PAL_TEST(kit_child, a_lost_report_is_noticed)
{
    void (*body)(void *) = fail_without_report;
    const struct kit_child_result result = kit_probe_child(have_child, &body, 60);
    EXPECT_EQ(result.exit_code, KIT_CHILD_FAILED);
    EXPECT_STRHAS(result.report, "its report is lost");
    EXPECT_STRHAS(result.report, "1 == 2");
}

PAL_TEST(kit_child, ending_badly_is_noticed)
{
    void (*body)(void *) = kill_itself;
    const struct kit_child_result result = kit_probe_child(have_child, &body, 60);
    EXPECT_STRHAS(result.report, "5 == 6");
    EXPECT_STRHAS(result.report, "ended by SIGKILL");
}

PAL_TEST(kit_child, runs_a_program_in_a_changed_environment)
{
    ASSERT_EQ(setenv("KIT_GONE", "here", 1), 0);
    char *const argv[] = {(char *)"sh", (char *)"-c",
                          (char *)"echo $KIT_NEW ${KIT_GONE-gone}; exit 3", NULL};
    char *const extra[] = {(char *)"KIT_NEW=new", (char *)"KIT_GONE", NULL};
    const struct kit_child_result result = kit_run_program(argv, extra);
    EXPECT_EQ(result.exit_code, 3);
    EXPECT_STREQ(result.output, "new gone\n");
    EXPECT_STREQ(getenv("KIT_GONE"), "here");
}

static void close_stdin(void *arg)
{
    EXPECT_EQ(close(*(int *)arg), 0);
}

PAL_TEST(kit_child, runs_code_before_the_program)
{
    int descriptor = STDIN_FILENO;
    char *const argv[] = {(char *)"sh", (char *)"-c", (char *)"[ -e /proc/self/fd/0 ]", NULL};
    const struct kit_child_result open = kit_run_program(argv, NULL);
    EXPECT_EQ(open.exit_code, 0);
    const struct kit_child_result closed =
        kit_run_program_after(argv, NULL, close_stdin, &descriptor);
    EXPECT_EQ(closed.exit_code, 1);
}

PAL_TEST(kit_child, tells_that_there_is_no_such_program)
{
    char *const argv[] = {(char *)"/nowhere/nothing", NULL};
    const struct kit_child_result result = kit_run_program(argv, NULL);
    EXPECT_EQ(result.exit_code, KIT_CHILD_NO_EXEC);
    EXPECT_STRHAS(result.output, strerror(ENOENT));
}

PAL_TEST(kit_process, names_signals)
{
    char buffer[16];
    EXPECT_STREQ(kit_signal_name(SIGSEGV, buffer), "SIGSEGV");
    EXPECT_STREQ(kit_signal_name(40, buffer), "signal 40");
}
