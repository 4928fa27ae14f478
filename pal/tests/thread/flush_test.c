/* SPDX-License-Identifier: MIT */
/* The flush when things go wrong or come late: with the library that fails on demand. */
#include "thread/flush.h"

#include <errno.h>
#include <pal.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#endif
#include <unistd.h>

#include "kit/child.h"
#include "kit/fault.h"
#include "kit/latch.h"
#include "kit/resources.h"
#include "kit/test.h"
#include "os/cpu.h"
#include "os/membarrier.h"
#include "os/native_thread.h"
#include "os/page.h"
#include "thread/flush_choice.h"
#include "thread/flush_page.h"

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

/* unshare denied in a process with threads: nobody knows better, so no grace period is risked. */
PAL_TEST(flush, unshare_denied_in_a_threaded_host)
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
PAL_TEST(flush, unshare_denied_and_libc_knows)
{
    SKIP_UNLESS(membarrier_works(), "no membarrier here");
    SKIP_UNLESS(__libc_single_threaded, "a sanitizer's own thread is alive");
    kit_fault(OS_CALL_UNSHARE, 0, KIT_FOREVER, EPERM);
    ASSERT_EQ(PAL_InitializeDLL(), 0);
    EXPECT_EQ((int)info().registration, (int)PAL_FLUSH_REGISTRATION_DONE);
    PAL_Terminate();
}
#endif

/* A method that was asked for is the only one that is touched. */
PAL_TEST(flush, mprotect_on_request_leaves_membarrier_alone)
{
    setenv("PAL_FLUSH", "mprotect", 1);
    kit_fault_clear();
    ASSERT_EQ(PAL_InitializeDLL(), 0);
    FlushProcessWriteBuffers();
    EXPECT_EQ(kit_fault_calls(OS_CALL_MPROTECT), 3); /* one to lock the page */
    EXPECT_EQ(kit_fault_calls(OS_CALL_MEMBARRIER_QUERY), 0);
    EXPECT_EQ(kit_fault_calls(OS_CALL_MEMBARRIER_REGISTER), 0);
    EXPECT_EQ(kit_fault_calls(OS_CALL_MEMBARRIER_PRIVATE), 0);
    PAL_Terminate();
}

PAL_TEST(flush, global_on_request_flushes_by_it)
{
    setenv("PAL_FLUSH", "global", 1);
    kit_fault_clear();
    SKIP_UNLESS(PAL_InitializeDLL() == 0, "no membarrier(GLOBAL) here");
    EXPECT_EQ(kit_fault_calls(OS_CALL_MEMBARRIER_GLOBAL), 0);
    FlushProcessWriteBuffers();
    FlushProcessWriteBuffers();
    EXPECT_EQ(kit_fault_calls(OS_CALL_MEMBARRIER_GLOBAL), 2);
    EXPECT_EQ(kit_fault_calls(OS_CALL_MEMBARRIER_REGISTER), 0);
    EXPECT_EQ(kit_fault_calls(OS_CALL_MEMBARRIER_PRIVATE), 0);
    PAL_Terminate();
}

static void flush_with_global_failing(void *unused)
{
    (void)unused;
    setenv("PAL_FLUSH", "global", 1);
    SKIP_UNLESS(PAL_InitializeDLL() == 0, "no membarrier(GLOBAL) here");
    kit_fault(OS_CALL_MEMBARRIER_GLOBAL, 0, 1, EPERM);
    FlushProcessWriteBuffers();
}

PAL_TEST(flush, global_that_fails_is_not_passed_over)
{
    struct kit_child_result result = kit_run_child(flush_with_global_failing, NULL);

    RETURN_IF_SKIPPED();
    EXPECT_EQ(result.signal, SIGABRT);
    EXPECT_STRHAS(result.output, "no process-wide barrier: the flush has failed");
}

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
PAL_TEST(flush, forced_membarrier_that_does_not_register_late_is_the_end)
{
    SKIP_UNLESS(membarrier_works(), "no membarrier here");
    struct kit_child_result result = kit_run_child(flush_with_late_registration_failing, NULL);

    EXPECT_EQ(result.signal, SIGABRT);
    EXPECT_STRHAS(result.output, "no process-wide barrier: the flush has failed");
}

/* What PAL_GetFlushInfo calls interim, before the first flush and while the registration runs. */
PAL_TEST(flush, interim_is_told_while_it_serves)
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
PAL_TEST(flush, page_is_given_back_after_the_registration)
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

PAL_TEST(flush, nothing_is_chosen_after_terminate_while_registering)
{
    static DWORD flags[] = {PAL_INITIALIZE, PAL_INITIALIZE_DLL};

    SKIP_UNLESS(membarrier_works(), "no membarrier here");
    for (int i = 0; i < 10; i++) { /* each in a process that never registered */
        struct kit_child_result result = kit_run_child(terminate_while_registering, &flags[i % 2]);
        EXPECT_CHILD_OK(result);
    }
}

/* The helper stayed with the parent: the child has nobody to join. */
PAL_TEST(flush, fork_while_a_helper_registers)
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

static void count_locks_in_child(void *unused)
{
    (void)unused;
    EXPECT_EQ(kit_fault_calls(OS_CALL_MLOCK), 2);
    PAL_Terminate();
}

/* mlock is not inherited: `locked` in the child is true because it was done again. */
PAL_TEST(flush, child_locks_the_page_again)
{
    setenv("PAL_FLUSH", "mprotect", 1);
    kit_fault_clear();
    ASSERT_EQ(PAL_InitializeDLL(), 0);
    SKIP_UNLESS(info().locked, "mlock is denied");
    ASSERT_EQ(kit_fault_calls(OS_CALL_MLOCK), 1);
    struct kit_child_result result = kit_run_child(count_locks_in_child, NULL);
    EXPECT_CHILD_OK(result);
    PAL_Terminate();
}

/* `locked` is said of the page, and goes with it. */
PAL_TEST(flush, locked_is_forgotten_with_the_page)
{
    SKIP_UNLESS(membarrier_works(), "no membarrier here");
    setenv("PAL_FLUSH", "mprotect", 1);
    ASSERT_EQ(PAL_InitializeDLL(), 0);
    SKIP_UNLESS(info().locked, "mlock is denied");
    PAL_Terminate();
    setenv("PAL_FLUSH", "membarrier", 1);
    ASSERT_EQ(PAL_InitializeDLL(), 0);
    EXPECT_FALSE(info().locked);
    PAL_Terminate();
}

/* A page that nobody wrote to is in no TLB: the flush is the write, and then the loss of rights. */
PAL_TEST(flush, page_is_written_in_each_flush)
{
    void *where = NULL;

    SKIP_UNLESS(!KIT_SANITIZED, "a sanitizer maps memory of its own");
    ASSERT_EQ(os_page_size_init(), 0);
    ASSERT_EQ(os_page_map(&where), 0);
    os_page_unmap(where); /* the next page takes its place */
    ASSERT_EQ(flush_page_open(), 0);
    SKIP_UNLESS(os_page_protect(where, PROT_READ) == 0, "the page is elsewhere");
    int before = *(volatile int *)where;
    EXPECT_EQ(flush_page_flush(), 0);
    EXPECT_EQ(flush_page_flush(), 0);
    ASSERT_EQ(os_page_protect(where, PROT_READ), 0);
    EXPECT_EQ(*(volatile int *)where, before + 2);
    flush_page_close();
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
PAL_TEST(flush, panic_handler_is_told)
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

PAL_TEST(flush, panic_handler_may_fork)
{
    struct kit_child_result result = kit_run_child(flush_with_a_handler_that_forks, NULL);

    EXPECT_EQ(result.signal, SIGABRT);
    EXPECT_STRHAS(result.output, "<pal: no process-wide barrier");
    EXPECT_STRHAS(result.output, "<the child exited with 0>");
    EXPECT_STRHAS(result.output, "\npal: no process-wide barrier"); /* the second time, by itself */
}

/* A flush ahead of any initialisation, and nothing to be had: it does not return. */
PAL_TEST(flush, first_call_where_nothing_works_is_the_end)
{
    struct kit_child_result result = kit_run_child(flush_first_where_nothing_works, NULL);

    EXPECT_EQ(result.signal, SIGABRT);
    EXPECT_STRHAS(result.output, "no process-wide barrier can be had");
}

/* And where there is one, the first call flushes by it: finding the method is not enough. */
PAL_TEST(flush, first_call_flushes)
{
    SKIP_UNLESS(!KIT_TSAN, "ThreadSanitizer's own thread is alive: the barrier is tried first");
    SKIP_UNLESS(membarrier_works(), "no membarrier here");
    setenv("PAL_FLUSH", "membarrier", 1);
    kit_fault_clear();
    FlushProcessWriteBuffers();
    EXPECT_EQ(kit_fault_calls(OS_CALL_MEMBARRIER_PRIVATE), 1);
}

PAL_TEST(flush, page_that_cannot_be_had_leaves_it_to_the_caller)
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
