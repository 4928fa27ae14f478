/* SPDX-License-Identifier: MIT */
/* The flush when things go wrong or come late: with the library that fails on demand. */
#include "thread/flush.h"

#include <errno.h>
#include <pal.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "kit/child.h"
#include "kit/fault.h"
#include "kit/latch.h"
#include "kit/resources.h"
#include "kit/test.h"
#include "os/cpu.h"
#include "os/membarrier.h"
#include "os/native_thread.h"
#include "thread/flush_choice.h"

static bool membarrier_works(void)
{
    return flush_membarrier_offered(os_membarrier_query());
}

static bool mprotect_is_sound(void)
{
    return flush_mprotect_is_sound(OS_ARCH, os_cpu_broadcasts_invalidation());
}

static PAL_FLUSH_INFO info(void)
{
    PAL_FLUSH_INFO info = {0};

    EXPECT_TRUE(PAL_GetFlushInfo(&info));
    return info;
}

/* A thread that is alive from begin_other to end_other. */
static struct {
    struct kit_threads thread;
    struct kit_latch end;
} other;

static void be_alive(int index, void *arg)
{
    (void)index;
    (void)arg;
    kit_latch_wait(&other.end);
}

static void begin_other(void)
{
    kit_latch_init(&other.end, 1);
    ASSERT_EQ(kit_threads_start(&other.thread, 1, be_alive, NULL), 1);
}

static void end_other(void)
{
    kit_latch_arrive(&other.end);
    kit_threads_join(&other.thread);
}

static void wait_for_registration(void)
{
    while (info().registration == PAL_FLUSH_REGISTRATION_STARTED)
        sched_yield();
}

static void initialize_and_register(void)
{
    ASSERT_EQ(PAL_InitializeDLL(), 0);
    FlushProcessWriteBuffers(); /* starts it where a sanitizer's thread is alive */
    wait_for_registration();
    EXPECT_EQ((int)info().registration, (int)PAL_FLUSH_REGISTRATION_DONE);
}

/* What a host with threads sees: nothing at init, the registration at the first flush. */
static void flush_late(DWORD flags)
{
    SKIP_UNLESS(membarrier_works(), "no membarrier here");
    begin_other();
    kit_fault_clear();
    ASSERT_EQ(PAL_InitializeWithFlags(0, NULL, flags), 0);
    EXPECT_EQ(kit_fault_calls(OS_CALL_MEMBARRIER_REGISTER), 0);
    EXPECT_EQ((int)info().method, (int)PAL_FLUSH_METHOD_MEMBARRIER);
    EXPECT_EQ((int)info().registration, (int)PAL_FLUSH_REGISTRATION_DEFERRED);

    FlushProcessWriteBuffers();
    if (mprotect_is_sound())
        EXPECT_EQ(kit_fault_calls(OS_CALL_MPROTECT), 2);
    wait_for_registration();
    EXPECT_EQ((int)info().registration, (int)PAL_FLUSH_REGISTRATION_DONE);
    EXPECT_EQ((int)info().interim, (int)PAL_FLUSH_METHOD_MEMBARRIER);
    EXPECT_EQ(kit_fault_calls(OS_CALL_MEMBARRIER_REGISTER), 1);
    EXPECT_EQ(kit_fault_calls(OS_CALL_MLOCK), 0); /* only ever a stopgap */

    int barriers = kit_fault_calls(OS_CALL_MEMBARRIER_PRIVATE);
    FlushProcessWriteBuffers();
    EXPECT_EQ(kit_fault_calls(OS_CALL_MEMBARRIER_PRIVATE), barriers + 1);
    PAL_Terminate();
    end_other();
}

PAL_TEST(flush, late_registration_by_the_worker)
{
    flush_late(PAL_INITIALIZE);
    EXPECT_EQ(kit_fault_calls(OS_CALL_THREAD_START), 1);
}

PAL_TEST(flush, late_registration_by_a_helper)
{
    flush_late(PAL_INITIALIZE_DLL);
    if (mprotect_is_sound())
        EXPECT_EQ(kit_fault_calls(OS_CALL_THREAD_START), 1);
}

PAL_TEST(flush, helper_that_cannot_start_leaves_it_to_the_caller)
{
    SKIP_UNLESS(membarrier_works(), "no membarrier here");
    begin_other();
    ASSERT_EQ(PAL_InitializeDLL(), 0);
    kit_fault(OS_CALL_THREAD_START, 0, KIT_FOREVER, EAGAIN);
    FlushProcessWriteBuffers();
    EXPECT_EQ((int)info().registration, (int)PAL_FLUSH_REGISTRATION_DONE);
    PAL_Terminate();
    end_other();
}

PAL_TEST(flush, late_registration_that_fails_settles_for_mprotect)
{
    SKIP_UNLESS(membarrier_works() && mprotect_is_sound(), "needs membarrier and mprotect");
    begin_other();
    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    kit_fault(OS_CALL_MEMBARRIER_REGISTER, 0, KIT_FOREVER, ENOMEM);
    FlushProcessWriteBuffers();
    wait_for_registration();
    EXPECT_EQ((int)info().method, (int)PAL_FLUSH_METHOD_MPROTECT);
    EXPECT_EQ((int)info().registration, (int)PAL_FLUSH_REGISTRATION_NONE);
    EXPECT_TRUE(info().locked);
    FlushProcessWriteBuffers();
    PAL_Terminate();
    end_other();
}

/* Where nothing is sound meanwhile, the first flush waits for the registration itself. */
PAL_TEST(flush, without_an_interim_the_caller_registers)
{
    SKIP_UNLESS(membarrier_works(), "no membarrier here");
    setenv("PAL_FLUSH", "membarrier", 1);
    begin_other();
    kit_fault_clear();
    ASSERT_EQ(PAL_InitializeDLL(), 0);
    EXPECT_EQ((int)info().interim, (int)PAL_FLUSH_METHOD_MEMBARRIER);
    FlushProcessWriteBuffers();
    EXPECT_EQ((int)info().registration, (int)PAL_FLUSH_REGISTRATION_DONE);
    EXPECT_EQ(kit_fault_calls(OS_CALL_THREAD_START), 0);
    EXPECT_EQ(kit_fault_calls(OS_CALL_MPROTECT), 0);
    PAL_Terminate();
    end_other();
}

PAL_TEST(flush, threads_that_have_ended_by_the_first_flush_cost_nothing)
{
    SKIP_UNLESS(membarrier_works(), "no membarrier here");
    SKIP_UNLESS(!KIT_TSAN, "ThreadSanitizer's own thread does not end");
    struct kit_resources before = kit_resources_now();
    begin_other();
    kit_fault_clear();
    ASSERT_EQ(PAL_InitializeDLL(), 0);
    end_other();
    (void)kit_resources_after(&before); /* waits for the thread to be gone */
    FlushProcessWriteBuffers();
    EXPECT_EQ((int)info().registration, (int)PAL_FLUSH_REGISTRATION_DONE);
    EXPECT_EQ(kit_fault_calls(OS_CALL_MPROTECT), 0);
    PAL_Terminate();
}

/* Registered by somebody else before: known without a registration of our own. */
PAL_TEST(flush, earlier_registration_is_found)
{
    SKIP_UNLESS(membarrier_works() && os_membarrier_register() == 0, "no membarrier here");
    begin_other();
    kit_fault_clear();
    ASSERT_EQ(PAL_InitializeDLL(), 0);
    EXPECT_EQ((int)info().registration, (int)PAL_FLUSH_REGISTRATION_DONE);
    EXPECT_EQ(kit_fault_calls(OS_CALL_MEMBARRIER_REGISTER), 0);
    PAL_Terminate();
    end_other();
}

/* unshare denied: libc is asked instead, and where it cannot tell, threads are assumed. */
PAL_TEST(flush, unshare_denied)
{
    SKIP_UNLESS(membarrier_works(), "no membarrier here");
    kit_fault(OS_CALL_UNSHARE, 0, KIT_FOREVER, EPERM);
    ASSERT_EQ(PAL_InitializeDLL(), 0);
    EXPECT_EQ((int)info().registration, (int)(os_other_threads_libc_knows() == PAL_THREADS_NO
                                                  ? PAL_FLUSH_REGISTRATION_DONE
                                                  : PAL_FLUSH_REGISTRATION_DEFERRED));
    FlushProcessWriteBuffers();
    PAL_Terminate();
}

/* Checkpoint and restore: the registration is gone. */
PAL_TEST(flush, lost_registration_is_made_again)
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

PAL_TEST(flush, barrier_denied_for_good_falls_back)
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

PAL_TEST(flush, out_of_memory_passes)
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

PAL_TEST(flush, nothing_left_is_the_end)
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

PAL_TEST(flush, second_mprotect_that_fails_is_not_passed_over)
{
    struct kit_child_result result = kit_run_child(flush_with_mprotect_failing, NULL);

    EXPECT_EQ(result.signal, SIGABRT);
    EXPECT_STRHAS(result.output, "Cannot allocate memory");
}

/* The child of a process that was registering has to see to it itself. */
static void flush_in_child(void *unused)
{
    (void)unused;
    EXPECT_NE((int)info().registration, (int)PAL_FLUSH_REGISTRATION_STARTED);
    FlushProcessWriteBuffers();
    EXPECT_EQ((int)info().registration, (int)PAL_FLUSH_REGISTRATION_DONE);
    PAL_Terminate();
    PAL_Terminate();
    EXPECT_EQ(GetLastError(), (DWORD)ERROR_NOT_READY);
}

PAL_TEST(flush, fork_while_registering)
{
    SKIP_UNLESS(membarrier_works(), "no membarrier here");
    begin_other();
    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    FlushProcessWriteBuffers();
    struct kit_child_result result = kit_run_child(flush_in_child, NULL);
    EXPECT_CHILD_OK(result);
    wait_for_registration();
    FlushProcessWriteBuffers();
    PAL_Terminate();
    end_other();
}

static void terminate_in_child(void *unused)
{
    (void)unused;
    EXPECT_TRUE(info().locked); /* mlock is not inherited: it was done again */
    FlushProcessWriteBuffers();
    PAL_Terminate();
}

PAL_TEST(flush, locked_page_is_locked_in_the_child)
{
    setenv("PAL_FLUSH", "mprotect", 1);
    kit_fault_clear();
    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    SKIP_UNLESS(info().locked, "mlock is denied");
    FlushProcessWriteBuffers();
    struct kit_child_result result = kit_run_child(terminate_in_child, NULL);
    EXPECT_CHILD_OK(result);
    FlushProcessWriteBuffers();
    PAL_Terminate();
}

PAL_TEST(flush, terminate_while_registering_joins)
{
    SKIP_UNLESS(membarrier_works(), "no membarrier here");
    begin_other();
    for (int i = 0; i < 20; i++) {
        ASSERT_EQ(PAL_InitializeWithFlags(0, NULL, i % 2 ? PAL_INITIALIZE : PAL_INITIALIZE_DLL), 0);
        FlushProcessWriteBuffers();
        PAL_Terminate();
    }
    end_other();
}
