/* SPDX-License-Identifier: MIT */
/* When the system says no: a flush falls back, or ends the process; it never returns as if done. */
#include <errno.h>
#include <pal.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kit/child.h"
#include "kit/fault.h"
#include "kit/test.h"
#include "thread/flush_fixture.h"

/* Checkpoint and restore: the registration is gone. */
PAL_TEST(flush_failure, lost_registration_is_made_again)
{
    SKIP_UNLESS(membarrier_works(), "no membarrier here");
    initialize_and_register();
    kit_fault(OS_CALL_MEMBARRIER_REGISTER, 0, 0, 0);
    kit_fault(OS_CALL_MEMBARRIER_PRIVATE, 0, 2, EPERM);
    FlushProcessWriteBuffers();
    EXPECT_EQ(kit_fault_calls(OS_CALL_MEMBARRIER_REGISTER), 1);
    EXPECT_EQ(kit_fault_calls(OS_CALL_MEMBARRIER_PRIVATE), 3);
    EXPECT_EQ((int)info().method, (int)PAL_FLUSH_METHOD_MEMBARRIER);
    PAL_Terminate();
}

PAL_TEST(flush_failure, barrier_denied_for_good_falls_back)
{
    SKIP_UNLESS(membarrier_works() && mprotect_is_sound(), "needs membarrier and mprotect");
    initialize_and_register();
    kit_fault(OS_CALL_MPROTECT, 0, 0, 0);
    kit_fault(OS_CALL_MEMBARRIER_PRIVATE, 0, KIT_FOREVER, EPERM);
    FlushProcessWriteBuffers();
    int calls = kit_fault_calls(OS_CALL_MPROTECT);
    EXPECT_GE(calls, 2);
    EXPECT_EQ((int)info().method, (int)PAL_FLUSH_METHOD_MPROTECT);
    FlushProcessWriteBuffers();
    EXPECT_EQ(kit_fault_calls(OS_CALL_MPROTECT), calls + 2);
    PAL_Terminate();
}

PAL_TEST(flush_failure, out_of_memory_passes)
{
    SKIP_UNLESS(membarrier_works() && mprotect_is_sound(), "needs membarrier and mprotect");
    initialize_and_register();
    kit_fault(OS_CALL_MPROTECT, 0, 0, 0);
    kit_fault(OS_CALL_MEMBARRIER_PRIVATE, 0, 2, ENOMEM);
    FlushProcessWriteBuffers();
    EXPECT_EQ(kit_fault_calls(OS_CALL_MPROTECT), 2);
    EXPECT_EQ((int)info().method, (int)PAL_FLUSH_METHOD_MEMBARRIER);
    FlushProcessWriteBuffers();
    EXPECT_EQ(kit_fault_calls(OS_CALL_MPROTECT), 2);
    PAL_Terminate();
}

/* Never as if done: with nothing left, one line and the end. */
static void flush_with_nothing_left(void *unused)
{
    (void)unused;
    initialize_and_register();
    kit_fault(OS_CALL_MEMBARRIER_PRIVATE, 0, KIT_FOREVER, EPERM);
    kit_fault(OS_CALL_MMAP, 0, KIT_FOREVER, ENOMEM);
    FlushProcessWriteBuffers();
}

PAL_TEST(flush_failure, nothing_left_is_the_end)
{
    SKIP_UNLESS(membarrier_works(), "no membarrier here");
    struct kit_child_result result = kit_run_child(flush_with_nothing_left, NULL);

    EXPECT_EQ(result.signal, SIGABRT);
    EXPECT_STRHAS(result.output, "no process-wide barrier");
}

static void flush_with_mprotect_failing(void *unused)
{
    (void)unused;
    setenv("PAL_FLUSH", "mprotect", 1);
    ASSERT_EQ(PAL_InitializeDLL(), 0);
    kit_fault(OS_CALL_MPROTECT, 1, 1, ENOMEM);
    FlushProcessWriteBuffers();
}

PAL_TEST(flush_failure, second_mprotect_that_fails_is_not_passed_over)
{
    struct kit_child_result result = kit_run_child(flush_with_mprotect_failing, NULL);

    EXPECT_EQ(result.signal, SIGABRT);
    EXPECT_STRHAS(result.output, "Cannot allocate memory");
}

static void flush_with_global_failing(void *unused)
{
    (void)unused;
    setenv("PAL_FLUSH", "global", 1);
    SKIP_UNLESS(PAL_InitializeDLL() == 0, "no membarrier(GLOBAL) here");
    kit_fault(OS_CALL_MEMBARRIER_GLOBAL, 0, 1, EPERM);
    FlushProcessWriteBuffers();
}

PAL_TEST(flush_failure, global_that_fails_is_not_passed_over)
{
    struct kit_child_result result = kit_run_child(flush_with_global_failing, NULL);

    RETURN_IF_SKIPPED();
    EXPECT_EQ(result.signal, SIGABRT);
    EXPECT_STRHAS(result.output, "no process-wide barrier: the flush has failed");
}

static void tell(LPCSTR message)
{
    (void)dprintf(STDERR_FILENO, "<%s>\n", message);
}

static void panic_with_handler(void *unused)
{
    (void)unused;
    PAL_SetPanicHandler(tell);
    flush_with_mprotect_failing(NULL);
}

/* The handler gets the line, in place of stderr, and the process ends all the same. */
PAL_TEST(flush_failure, panic_handler_is_told)
{
    struct kit_child_result result = kit_run_child(panic_with_handler, NULL);

    EXPECT_EQ(result.signal, SIGABRT);
    EXPECT_STRHAS(result.output, "<pal: no process-wide barrier: the flush has failed");
    EXPECT_EQ(strchr(result.output, '\n') + 1, result.output + strlen(result.output));
}

static void flush_first_where_nothing_works(void *unused)
{
    (void)unused;
    setenv("PAL_FLUSH", "membarrier", 1);
    kit_fault(OS_CALL_MEMBARRIER_QUERY, 0, KIT_FOREVER, EPERM);
    FlushProcessWriteBuffers();
}

static void say_nothing(void *unused)
{
    (void)unused;
}

/* As a crash reporter does, and one that needs the flush itself: no lock of ours is in the way. */
static void fork_and_flush(LPCSTR message)
{
    printf("<%s>\n", message);
    (void)fflush(stdout);
    struct kit_child_result result = kit_probe_child(say_nothing, NULL, KIT_CHILD_SECONDS);
    printf("<the child exited with %d>\n", result.exit_code);
    (void)fflush(stdout);
    FlushProcessWriteBuffers();
}

static void flush_with_a_handler_that_forks(void *unused)
{
    (void)unused;
    PAL_SetPanicHandler(fork_and_flush);
    setenv("PAL_FLUSH", "mprotect", 1);
    ASSERT_EQ(PAL_InitializeDLL(), 0);
    kit_fault(OS_CALL_MPROTECT, 0, KIT_FOREVER, ENOMEM);
    FlushProcessWriteBuffers();
}

PAL_TEST(flush_failure, panic_handler_may_fork)
{
    struct kit_child_result result = kit_run_child(flush_with_a_handler_that_forks, NULL);

    EXPECT_EQ(result.signal, SIGABRT);
    EXPECT_STRHAS(result.output, "<pal: no process-wide barrier");
    EXPECT_STRHAS(result.output, "<the child exited with 0>");
    EXPECT_STRHAS(result.output, "\npal: no process-wide barrier"); /* the second time, by itself */
}

/* A flush ahead of any initialisation, and nothing to be had: it does not return. */
PAL_TEST(flush_failure, first_call_where_nothing_works_is_the_end)
{
    struct kit_child_result result = kit_run_child(flush_first_where_nothing_works, NULL);

    EXPECT_EQ(result.signal, SIGABRT);
    EXPECT_STRHAS(result.output, "FlushProcessWriteBuffers: row 'flush' failed: no process-wide");
}
