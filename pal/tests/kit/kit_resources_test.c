/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "child.h"
#include "latch.h"
#include "resources.h"
#include "test.h"

static void allocate(int index, void *arg)
{
    (void)index;
    (void)arg;
}

PAL_TEST(kit_resources, nothing_is_nothing)
{
    kit_resources_warm_up();
    const struct kit_resources before = kit_resources_now();
    EXPECT_GE(before.descriptors, 3);
    EXPECT_GT(before.mappings, 3);
    EXPECT_GE(before.tasks, 1);
    EXPECT_GT(before.free_keys, 50);
    EXPECT_RESOURCES_EQ(before, kit_resources_now());
}

PAL_TEST(kit_resources, joined_threads_are_gone)
{
    kit_resources_warm_up();
    const struct kit_resources before = kit_resources_now();
    for (int round = 0; round < 200; round++) {
        struct kit_threads threads;
        (void)kit_threads_start(&threads, 1, allocate, NULL);
        kit_threads_join(&threads);
        EXPECT_RESOURCES_EQ(before, kit_resources_after(&before));
    }
}

static void leak(void *arg)
{
    (void)arg;
    pthread_key_t key;
    const struct kit_resources before = kit_resources_now();
    ASSERT_NE(open("/dev/null", O_RDONLY | O_CLOEXEC), -1);
    ASSERT_EQ(pthread_key_create(&key, NULL), 0);
    ASSERT_NE(mmap(NULL, 4096, PROT_NONE, MAP_SHARED | MAP_ANONYMOUS, -1, 0), MAP_FAILED);
    EXPECT_RESOURCES_EQ(before, kit_resources_now());
}

PAL_TEST(kit_resources, leaks_are_noticed)
{
    const struct kit_child_result result = kit_probe_child(leak, NULL, 60);
    EXPECT_EQ(result.exit_code, KIT_CHILD_FAILED);
    EXPECT_STRHAS(result.report, "descriptors of before and kit_resources_now() agree");
    EXPECT_STRHAS(result.report, "free keys of");
    if (!KIT_SANITIZED) {
        EXPECT_STRHAS(result.report, "mappings of");
    }
}

static void wait_for_latch(int index, void *arg)
{
    (void)index;
    kit_latch_wait(arg);
}

PAL_TEST(kit_resources, running_threads_are_counted)
{
    struct kit_latch latch;
    struct kit_threads threads;
    kit_latch_init(&latch, 1);
    kit_resources_warm_up();
    const int before = kit_resources_now().tasks;
    (void)kit_threads_start(&threads, 3, wait_for_latch, &latch);
    EXPECT_EQ(kit_resources_now().tasks, before + 3);
    kit_latch_arrive(&latch);
    kit_threads_join(&threads);
}
