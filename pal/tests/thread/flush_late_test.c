/* SPDX-License-Identifier: MIT */
/* Registering late: in a process that had threads before the PAL. */
#include <errno.h>
#include <pal.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#endif

#include "kit/child.h"
#include "kit/fault.h"
#include "kit/resources.h"
#include "kit/test.h"
#include "os/membarrier.h"
#include "os/native_thread.h"
#include "thread/flush_fixture.h"

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

PAL_TEST(flush_late, late_registration_by_the_worker)
{
    flush_late(PAL_INITIALIZE);
    EXPECT_EQ(kit_fault_calls(OS_CALL_THREAD_START), 1);
}

PAL_TEST(flush_late, late_registration_by_a_helper)
{
    flush_late(PAL_INITIALIZE_DLL);
    if (mprotect_is_sound())
        EXPECT_EQ(kit_fault_calls(OS_CALL_THREAD_START), 1);
}

PAL_TEST(flush_late, helper_that_cannot_start_leaves_it_to_the_caller)
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

PAL_TEST(flush_late, late_registration_that_fails_settles_for_mprotect)
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
PAL_TEST(flush_late, without_an_interim_the_caller_registers)
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

PAL_TEST(flush_late, threads_that_have_ended_by_the_first_flush_cost_nothing)
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
PAL_TEST(flush_late, earlier_registration_is_found)
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
PAL_TEST(flush_late, unshare_denied)
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

PAL_TEST(flush_late, fork_while_registering)
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

PAL_TEST(flush_late, terminate_while_registering_joins)
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

/* unshare denied in a process with threads: nobody knows better, so no grace period is risked. */
PAL_TEST(flush_late, unshare_denied_in_a_threaded_host)
{
    SKIP_UNLESS(membarrier_works(), "no membarrier here");
    begin_other();
    kit_fault_clear();
    kit_fault(OS_CALL_UNSHARE, 0, KIT_FOREVER, EPERM);
    ASSERT_EQ(PAL_InitializeDLL(), 0);
    EXPECT_EQ(kit_fault_calls(OS_CALL_MEMBARRIER_REGISTER), 0);
    EXPECT_EQ((int)info().registration, (int)PAL_FLUSH_REGISTRATION_DEFERRED);
    FlushProcessWriteBuffers();
    wait_for_registration();
    EXPECT_EQ((int)info().registration, (int)PAL_FLUSH_REGISTRATION_DONE);
    PAL_Terminate();
    end_other();
}

#if __has_include(<sys/single_threaded.h>)
/* And in one without, libc knows. */
PAL_TEST(flush_late, unshare_denied_and_libc_knows)
{
    SKIP_UNLESS(membarrier_works(), "no membarrier here");
    SKIP_UNLESS(__libc_single_threaded, "a sanitizer's own thread is alive");
    kit_fault(OS_CALL_UNSHARE, 0, KIT_FOREVER, EPERM);
    ASSERT_EQ(PAL_InitializeDLL(), 0);
    EXPECT_EQ((int)info().registration, (int)PAL_FLUSH_REGISTRATION_DONE);
    PAL_Terminate();
}
#endif

static void flush_with_late_registration_failing(void *unused)
{
    (void)unused;
    setenv("PAL_FLUSH", "membarrier", 1);
    begin_other();
    ASSERT_EQ(PAL_InitializeDLL(), 0);
    ASSERT_EQ((int)info().registration, (int)PAL_FLUSH_REGISTRATION_DEFERRED);
    kit_fault(OS_CALL_MEMBARRIER_REGISTER, 0, KIT_FOREVER, ENOMEM);
    FlushProcessWriteBuffers();
}

/* Membarrier was asked for by name: another method in its place would be a lie. */
PAL_TEST(flush_late, forced_membarrier_that_does_not_register_late_is_the_end)
{
    SKIP_UNLESS(membarrier_works(), "no membarrier here");
    struct kit_child_result result = kit_run_child(flush_with_late_registration_failing, NULL);

    EXPECT_EQ(result.signal, SIGABRT);
    EXPECT_STRHAS(result.output, "no process-wide barrier: the flush has failed");
}

/* What PAL_GetFlushInfo calls interim, before the first flush and while the registration runs. */
PAL_TEST(flush_late, interim_is_told_while_it_serves)
{
    SKIP_UNLESS(membarrier_works() && mprotect_is_sound(), "needs membarrier and mprotect");
    begin_other();
    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    ASSERT_EQ((int)info().registration, (int)PAL_FLUSH_REGISTRATION_DEFERRED);
    EXPECT_EQ((int)info().method, (int)PAL_FLUSH_METHOD_MEMBARRIER);
    EXPECT_EQ((int)info().interim, (int)PAL_FLUSH_METHOD_MPROTECT);
    FlushProcessWriteBuffers();
    PAL_FLUSH_INFO now = info();
    EXPECT_EQ((int)now.interim, (int)(now.registration == PAL_FLUSH_REGISTRATION_STARTED
                                          ? PAL_FLUSH_METHOD_MPROTECT
                                          : PAL_FLUSH_METHOD_MEMBARRIER));
    wait_for_registration();
    PAL_Terminate();
    end_other();
}

/* The page of the interim goes when it has done its service, not when the PAL does. */
PAL_TEST(flush_late, page_is_given_back_after_the_registration)
{
    SKIP_UNLESS(membarrier_works() && mprotect_is_sound(), "needs membarrier and mprotect");
    SKIP_UNLESS(!KIT_SANITIZED, "a sanitizer maps memory of its own");
    kit_resources_warm_up();
    begin_other();
    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    struct kit_resources before = kit_resources_now();
    FlushProcessWriteBuffers();
    wait_for_registration();
    EXPECT_RESOURCES_EQ(before, kit_resources_now());
    PAL_Terminate();
    end_other();
}

/* Terminated while a thread of ours registers: that it finishes changes nothing any more. */
static void terminate_while_registering(void *arg)
{
    const DWORD *flags = arg;
    PAL_FLUSH_INFO now;

    begin_other();
    ASSERT_EQ(PAL_InitializeWithFlags(0, NULL, *flags), 0);
    FlushProcessWriteBuffers();
    PAL_Terminate();
    EXPECT_FALSE(PAL_GetFlushInfo(&now));
    EXPECT_EQ(GetLastError(), (DWORD)ERROR_NOT_READY);
    end_other();
}

PAL_TEST(flush_late, nothing_is_chosen_after_terminate_while_registering)
{
    static DWORD flags[] = {PAL_INITIALIZE, PAL_INITIALIZE_DLL};

    SKIP_UNLESS(membarrier_works(), "no membarrier here");
    for (int i = 0; i < 10; i++) { /* each in a process that never registered */
        struct kit_child_result result = kit_run_child(terminate_while_registering, &flags[i % 2]);
        EXPECT_CHILD_OK(result);
    }
}

/* The helper stayed with the parent: the child has nobody to join. */
PAL_TEST(flush_late, fork_while_a_helper_registers)
{
    SKIP_UNLESS(membarrier_works(), "no membarrier here");
    SKIP_UNLESS(!KIT_SANITIZED, "a sanitizer's locks do not survive a fork at a thread's start");
    begin_other();
    ASSERT_EQ(PAL_InitializeDLL(), 0);
    FlushProcessWriteBuffers();
    struct kit_child_result result = kit_run_child(flush_in_child, NULL);
    EXPECT_CHILD_OK(result);
    wait_for_registration();
    PAL_Terminate();
    end_other();
}

PAL_TEST(flush_late, page_that_cannot_be_had_leaves_it_to_the_caller)
{
    SKIP_UNLESS(membarrier_works(), "no membarrier here");
    begin_other();
    kit_fault_clear();
    ASSERT_EQ(PAL_InitializeDLL(), 0);
    kit_fault(OS_CALL_MMAP, 0, KIT_FOREVER, ENOMEM);
    FlushProcessWriteBuffers();
    EXPECT_EQ((int)info().registration, (int)PAL_FLUSH_REGISTRATION_DONE);
    EXPECT_EQ(kit_fault_calls(OS_CALL_MPROTECT), 0);
    EXPECT_EQ(kit_fault_calls(OS_CALL_THREAD_START), 0);
    PAL_Terminate();
    end_other();
}
