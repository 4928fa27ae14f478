/* SPDX-License-Identifier: MIT */
#include <stdatomic.h>

#include "child.h"
#include "latch.h"
#include "test.h"

enum { THREADS = 16 };

struct race {
    struct kit_latch latch;
    int written[THREADS]; /* plain: the latch is what orders the accesses */
    atomic_int sum;
};

static void write_and_sum(int index, void *arg)
{
    struct race *race = arg;
    race->written[index] = 1;
    kit_latch_arrive_and_wait(&race->latch);
    for (int i = 0; i < THREADS; i++) {
        atomic_fetch_add(&race->sum, race->written[i]);
    }
}

PAL_TEST(kit_latch, orders_threads)
{
    struct race race = {.sum = 0};
    struct kit_threads threads;
    kit_latch_init(&race.latch, THREADS);
    EXPECT_EQ(kit_threads_start(&threads, THREADS, write_and_sum, &race), THREADS);
    kit_threads_join(&threads);
    EXPECT_EQ(race.sum / THREADS, THREADS);
    EXPECT_EQ(race.sum % THREADS, 0);
}

struct shared {
    struct kit_latch latch;
    int value;
};

static void set_and_arrive(void *arg)
{
    struct shared *shared = arg;
    shared->value = 42;
    kit_latch_arrive(&shared->latch);
}

PAL_TEST(kit_latch, works_between_processes)
{
    struct shared *shared = kit_shared_new(sizeof(*shared));
    ASSERT_NE(shared, NULL);
    kit_latch_init(&shared->latch, 1);
    const struct kit_child_result result = kit_run_child(set_and_arrive, shared);
    EXPECT_CHILD_OK(result);
    kit_latch_wait(&shared->latch);
    EXPECT_EQ(shared->value, 42);
    kit_shared_free(shared, sizeof(*shared));
}
