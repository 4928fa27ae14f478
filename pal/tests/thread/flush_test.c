/* SPDX-License-Identifier: MIT */
/* The flush by each method, its page, and fork. */
#include <pal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kit/child.h"
#include "kit/fault.h"
#include "kit/test.h"
#include "os/page.h"
#include "thread/flush_fixture.h"
#include "thread/flush_page.h"

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
