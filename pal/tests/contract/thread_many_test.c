/* SPDX-License-Identifier: MIT */
/* Threads one after another, and more of them than processors. */
#include <pal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "contract/threads.h"
#include "kit/resources.h"
#include "kit/test.h"

enum { ROUNDS = KIT_SANITIZED ? 2000 : 10000, WARM_UP = 500 };

static void rounds(int count, SIZE_T stack_size)
{
    for (int i = 0; i < count; i++) {
        DWORD id = 0;
        HANDLE thread = CreateThread(NULL, stack_size, thread_returns, (LPVOID)5,
                                     i % 4 == 0 ? CREATE_SUSPENDED : 0, i % 3 ? NULL : &id);
        ASSERT_NE(thread, NULL);
        if (i % 4 == 0)
            ASSERT_EQ(ResumeThread(thread), 1u);
        if (i % 5 == 0)
            ASSERT_EQ(SetThreadDescription(thread, u"one of ten thousand"), S_OK);
        ASSERT_EQ(thread_finish(thread), 5u);
    }
}

static void expect_rounds_to_leave_nothing(SIZE_T stack_size)
{
    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    kit_resources_warm_up();
    const int tasks = kit_resources_now().tasks;
    rounds(WARM_UP, stack_size);
    const struct kit_resources before = resources_when_settled(tasks);
    const long memory_before = anonymous_kib();
    rounds(ROUNDS, stack_size);
    const struct kit_resources after = kit_resources_after(&before);
    EXPECT_EQ(after.descriptors, before.descriptors);
    EXPECT_EQ(after.tasks, before.tasks);
    EXPECT_EQ(after.free_keys, before.free_keys);
    /* How many of the last ones the kernel has let go of is chance; each has a stack of two. */
    if (!KIT_SANITIZED)
        EXPECT_LE(after.mappings, before.mappings + 16);
    expect_no_growth(memory_before, anonymous_kib());
    PAL_Terminate();
}

PAL_TEST(thread_many, ten_thousand_leave_nothing)
{
    expect_rounds_to_leave_nothing(0);
}

/* With a stack that is not kept. */
PAL_TEST(thread_many, ten_thousand_large_ones_leave_nothing)
{
    expect_rounds_to_leave_nothing((SIZE_T)256 << 20);
}

/* What is kept for reuse is bounded, and goes with the last reference. */
PAL_TEST(thread_many, terminate_gives_stacks_back)
{
    enum { AT_ONCE = 200 };
    static struct held held[AT_ONCE];

    kit_resources_warm_up();
    for (int i = 0; i < AT_ONCE * 2; i++) {
        /* libc's own memory for so many, ahead of the first count. */
        if (i == 0)
            ASSERT_EQ(PAL_InitializeDLL(), 0);
        ASSERT_TRUE(held_start(&held[i % AT_ONCE]));
        if (i % AT_ONCE == AT_ONCE - 1)
            for (int j = 0; j < AT_ONCE; j++)
                held_finish(&held[j]);
    }
    PAL_Terminate();
    const int alone = KIT_TSAN ? 2 : 1;
    const struct kit_resources before = resources_when_settled(alone);
    EXPECT_EQ(before.tasks, alone);

    ASSERT_EQ(PAL_InitializeDLL(), 0);
    for (int i = 0; i < AT_ONCE; i++)
        ASSERT_TRUE(held_start(&held[i]));
    for (int i = 0; i < AT_ONCE; i++)
        held_finish(&held[i]);
    const struct kit_resources ended = kit_resources_after(&before);
    if (!KIT_SANITIZED)
        EXPECT_LT(ended.mappings, before.mappings + AT_ONCE * 2 - 1);
    PAL_Terminate();
    EXPECT_RESOURCES_EQ(before, kit_resources_after(&before));
}

enum { BATCH = 20, BATCHES = ROUNDS / BATCH };

/* Ends of which nobody knows: no handle, no wait. */
PAL_TEST(thread_many, unwatched_ones_leave_nothing)
{
    static struct held batches[BATCHES];

    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    kit_resources_warm_up();
    const int tasks = kit_resources_now().tasks;
    rounds(WARM_UP, 0);
    const struct kit_resources before = resources_when_settled(tasks);
    const long memory_before = anonymous_kib();
    for (int i = 0; i < BATCHES; i++) {
        held_init(&batches[i]);
        kit_latch_init(&batches[i].running, BATCH);
        for (int j = 0; j < BATCH; j++)
            ASSERT_TRUE(CloseHandle(thread_start(held_body, &batches[i])));
        kit_latch_wait(&batches[i].running);
        kit_latch_arrive(&batches[i].release);
        (void)resources_when_settled(tasks);
    }
    rounds(BATCH, 0); /* which sweep */
    const struct kit_resources after = kit_resources_after(&before);
    EXPECT_EQ(after.tasks, before.tasks);
    EXPECT_EQ(after.descriptors, before.descriptors);
    if (!KIT_SANITIZED) {
        /* The stacks of a batch, which are kept. */
        EXPECT_LE(after.mappings, before.mappings + 2 * BATCH + 16);
        EXPECT_LE(anonymous_kib(), memory_before + BATCH * 128);
    }
    PAL_Terminate();
}

enum { YIELDERS_A_CORE = 4, MOST_YIELDERS = 512, MORE = 64 };

static atomic_bool enough;

static DWORD PALAPI spin_on_yield(LPVOID running)
{
    kit_latch_arrive(running);
    while (!atomic_load(&enough))
        (void)SwitchToThread();
    return 0;
}

static DWORD PALAPI run(LPVOID ran)
{
    kit_latch_arrive(ran);
    return 0;
}

PAL_TEST(thread_many, created_among_spinning_ones)
{
    static HANDLE yielders[MOST_YIELDERS];
    HANDLE more[MORE];
    struct kit_latch running;
    struct kit_latch ran;
    long count = YIELDERS_A_CORE * sysconf(_SC_NPROCESSORS_ONLN);

    if (count > MOST_YIELDERS)
        count = MOST_YIELDERS;
    kit_latch_init(&running, (int)count);
    kit_latch_init(&ran, MORE);
    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    for (long i = 0; i < count; i++) {
        yielders[i] = thread_start(spin_on_yield, &running);
        ASSERT_NE(yielders[i], NULL);
    }
    kit_latch_wait(&running);
    for (int i = 0; i < MORE; i++) {
        DWORD id = 0;
        more[i] = CreateThread(NULL, 0, run, &ran, 0, i % 2 ? &id : NULL);
        ASSERT_NE(more[i], NULL);
    }
    kit_latch_wait(&ran);
    for (int i = 0; i < MORE; i++)
        EXPECT_EQ(thread_finish(more[i]), 0u);
    atomic_store(&enough, true);
    for (long i = 0; i < count; i++)
        EXPECT_EQ(thread_finish(yielders[i]), 0u);
    PAL_Terminate();
}
