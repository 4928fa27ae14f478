/* SPDX-License-Identifier: MIT */
/* Fork in a process with a PAL: parent and child keep out of each other's way. */
#include <dirent.h>
#include <pal.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "kit/child.h"
#include "kit/resources.h"
#include "kit/test.h"

static bool has_thread_named(const char *name)
{
    DIR *tasks = opendir("/proc/self/task");
    bool found = false;

    for (struct dirent *task; tasks && !found && (task = readdir(tasks));) {
        char path[64];
        char comm[32] = "";
        (void)snprintf(path, sizeof path, "/proc/self/task/%.16s/comm", task->d_name);
        FILE *file = fopen(path, "re");
        if (file) {
            found = fgets(comm, sizeof comm, file) && strstr(comm, name);
            (void)fclose(file);
        }
    }
    if (tasks)
        (void)closedir(tasks);
    return found;
}

/*
 * A sanitizer's locks do not survive a fork during the start of a thread: waits until the worker
 * has come far enough to have a name.
 */
static void initialize(void)
{
    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    while (KIT_ASAN && !has_thread_named("pal-worker"))
        sched_yield();
}

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
    SKIP_UNLESS(!KIT_TSAN, "ThreadSanitizer starts no thread after a fork of several");
    initialize();
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

    initialize();
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
    SKIP_UNLESS(!KIT_TSAN, "ThreadSanitizer starts no thread after a fork of several");
    initialize();
    struct kit_child_result result = kit_run_child(grandchild, NULL);
    EXPECT_CHILD_OK(result);
    PAL_Terminate();
}

static void bring_the_worker_back(void *arg)
{
    const int *tasks = arg;

    EXPECT_EQ(kit_resources_now().tasks, 1);
    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    EXPECT_EQ(kit_resources_now().tasks, *tasks);
    PAL_Terminate();
    PAL_Terminate();
}

/* The child's new worker has a descriptor to wait on: it is there, and it has nothing to say. */
PAL_TEST(fork, child_gets_a_whole_worker)
{
    SKIP_UNLESS(!KIT_TSAN, "ThreadSanitizer starts no thread after a fork of several");
    initialize();
    int tasks = kit_resources_now().tasks;
    struct kit_child_result result = kit_run_child(bring_the_worker_back, &tasks);
    EXPECT_CHILD_OK(result);
    EXPECT_STREQ(result.output, "");
    PAL_Terminate();
}

static void look_at_the_trace(void *unused)
{
    static const char *const names[] = {"system", "environment",  "fork handlers", "current thread",
                                        "flush",  "sync manager", "worker"};
    PAL_INIT_PHASE phases[16];

    (void)unused;
    EXPECT_EQ(PAL_GetInitTrace(phases, 16), 5u);
    EXPECT_STREQ(phases[4].name, "flush");
    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    ASSERT_EQ(PAL_GetInitTrace(phases, 16), 7u);
    for (int i = 0; i < 7; i++)
        EXPECT_STREQ(phases[i].name, names[i]);
    PAL_Terminate();
    PAL_Terminate();
}

/* The worker's rows, ahead of the flush's here, are not up in the child. */
PAL_TEST(fork, child_has_the_trace_of_its_own_rows)
{
    SKIP_UNLESS(!KIT_SANITIZED, "a sanitizer's locks do not survive a fork of several threads");
    ASSERT_EQ(
        PAL_InitializeWithFlags(0, NULL, PAL_INITIALIZE_SYNC_THREAD | PAL_INITIALIZE_WORKER_FIRST),
        0);
    struct kit_child_result result = kit_run_child(look_at_the_trace, NULL);
    EXPECT_CHILD_OK(result);
    PAL_Terminate();
}
