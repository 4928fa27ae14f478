/* SPDX-License-Identifier: MIT */
/* Fork in a process with a PAL: parent and child keep out of each other's way. */
#include <pal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kit/child.h"
#include "kit/latch.h"
#include "kit/resources.h"
#include "kit/test.h"
#include "kit/trace.h"

static void live_on(void *unused)
{
    (void)unused;
    FlushProcessWriteBuffers();
    EXPECT_EQ(PAL_Initialize(0, NULL), 0); /* brings the worker back */
    FlushProcessWriteBuffers();
    PAL_Terminate();
    PAL_Terminate();
    PAL_Terminate();
    EXPECT_EQ(GetLastError(), (DWORD)ERROR_NOT_READY);
}

PAL_TEST(fork, child_flushes_initialises_and_terminates)
{
    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    for (int i = 0; i < 20; i++) {
        struct kit_child_result result = kit_run_child(live_on, NULL);
        EXPECT_CHILD_OK(result);
    }
    /* The parent's worker has not been told to stop by any of them. */
    FlushProcessWriteBuffers();
    EXPECT_EQ(PAL_Initialize(0, NULL), 0);
    PAL_Terminate();
    PAL_Terminate();
}

static void terminate_at_once(void *unused)
{
    (void)unused;
    PAL_Terminate();
}

PAL_TEST(fork, child_terminates_without_a_worker_to_join)
{
    struct kit_resources before = kit_resources_now();

    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    int tasks = kit_resources_now().tasks;
    struct kit_child_result result = kit_run_child(terminate_at_once, NULL);
    EXPECT_CHILD_OK(result);
    EXPECT_EQ(kit_resources_now().tasks, tasks);
    PAL_Terminate();
    EXPECT_EQ(kit_resources_after(&before).descriptors, before.descriptors);
}

static void grandchild(void *unused)
{
    (void)unused;
    struct kit_child_result result = kit_run_child(live_on, NULL);
    EXPECT_CHILD_OK(result);
    live_on(NULL);
}

PAL_TEST(fork, twice_in_a_row)
{
    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    struct kit_child_result result = kit_run_child(grandchild, NULL);
    EXPECT_CHILD_OK(result);
    PAL_Terminate();
}

enum { INITIALIZERS = 4 };

static void initialize_over_and_over(int index, void *arg)
{
    (void)index;
    kit_latch_arrive_and_wait(arg);
    for (int i = 0; i < 300; i++) {
        EXPECT_EQ(PAL_Initialize(0, NULL), 0);
        FlushProcessWriteBuffers();
        PAL_Terminate();
    }
}

/* Without the worker: what libc and a sanitizer lock while a thread starts is not ours to free. */
static void child_of_busy_parent(void *unused)
{
    (void)unused;
    FlushProcessWriteBuffers();
    EXPECT_EQ(PAL_InitializeDLL(), 0);
    PAL_Terminate();
}

/* Forking while other threads hold any lock of ours: the child finds them free. */
PAL_TEST(fork, while_others_initialise)
{
    struct kit_threads threads;
    struct kit_latch start;

    kit_latch_init(&start, INITIALIZERS + 1);
    ASSERT_EQ(kit_threads_start(&threads, INITIALIZERS, initialize_over_and_over, &start),
              INITIALIZERS);
    kit_latch_arrive_and_wait(&start);
    for (int i = 0; i < 30; i++) {
        struct kit_child_result result = kit_run_child(child_of_busy_parent, NULL);
        EXPECT_CHILD_OK(result);
    }
    kit_threads_join(&threads);
}
