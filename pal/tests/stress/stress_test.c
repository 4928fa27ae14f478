/* SPDX-License-Identifier: MIT */
/* Many threads at once: initialising, flushing, terminating, forking. */
#include <pal.h>
#include <stdlib.h>

#include "kit/child.h"
#include "kit/latch.h"
#include "kit/test.h"

/* ThreadSanitizer takes the threads that stayed with the parent for threads that the child leaks.
 */
enum { FORKS = KIT_TSAN ? 0 : 30 };

enum { FLUSHES = 20000, FLUSHERS = 16 };

static void flush_many(int index, void *arg)
{
    (void)index;
    kit_latch_arrive_and_wait(arg);
    for (int i = 0; i < (KIT_TSAN ? FLUSHES / 20 : FLUSHES); i++)
        FlushProcessWriteBuffers();
}

static void flush_in_child(void *unused)
{
    (void)unused;
    for (int i = 0; i < 10; i++)
        FlushProcessWriteBuffers();
}

/* 16 threads x 20,000 flushes by mprotect while another thread forks: no fault, no deadlock. */
PAL_TEST(stress, mprotect_by_many_while_forking)
{
    struct kit_threads threads;
    struct kit_latch start;

    setenv("PAL_FLUSH", "mprotect", 1);
    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    kit_latch_init(&start, FLUSHERS + 1);
    ASSERT_EQ(kit_threads_start(&threads, FLUSHERS, flush_many, &start), FLUSHERS);
    kit_latch_arrive_and_wait(&start);
    for (int i = 0; i < FORKS; i++) {
        struct kit_child_result result = kit_run_child(flush_in_child, NULL);
        EXPECT_CHILD_OK(result);
    }
    kit_threads_join(&threads);
    PAL_Terminate();
}

static void flush_some(int index, void *arg)
{
    (void)index;
    kit_latch_arrive_and_wait(arg);
    for (int i = 0; i < 2000; i++)
        FlushProcessWriteBuffers();
}

PAL_TEST(stress, eight_at_once)
{
    struct kit_threads threads;
    struct kit_latch start;

    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    kit_latch_init(&start, 8);
    ASSERT_EQ(kit_threads_start(&threads, 8, flush_some, &start), 8);
    kit_threads_join(&threads);
    PAL_Terminate();
}

static void use_pal(int index, void *arg)
{
    kit_latch_arrive_and_wait(arg);
    for (int i = 0; i < 200; i++) {
        if (index % 2) {
            EXPECT_EQ(PAL_Initialize(0, NULL), 0);
            PAL_Terminate();
        } else {
            FlushProcessWriteBuffers();
        }
    }
}

/* Terminating while others flush: what they use stays. */
PAL_TEST(stress, flush_and_terminate_at_once)
{
    struct kit_threads threads;
    struct kit_latch start;

    kit_latch_init(&start, 8);
    ASSERT_EQ(kit_threads_start(&threads, 8, use_pal, &start), 8);
    kit_threads_join(&threads);
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
PAL_TEST(stress, fork_while_others_initialise)
{
    struct kit_threads threads;
    struct kit_latch start;

    kit_latch_init(&start, INITIALIZERS + 1);
    ASSERT_EQ(kit_threads_start(&threads, INITIALIZERS, initialize_over_and_over, &start),
              INITIALIZERS);
    kit_latch_arrive_and_wait(&start);
    for (int i = 0; i < FORKS; i++) {
        struct kit_child_result result = kit_run_child(child_of_busy_parent, NULL);
        EXPECT_CHILD_OK(result);
    }
    kit_threads_join(&threads);
}
