/* SPDX-License-Identifier: MIT */
/* Stacks: what can be used of them, what lies below, and where they are said to be. */
#include <errno.h>
#include <limits.h>
#include <pal.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "contract/threads.h"
#include "kit/child.h"
#include "kit/limits.h"
#include "kit/resources.h"
#include "kit/test.h"

#define KIB ((size_t)1024)
#define MIB (1024 * KIB)
#define DEFAULT_SIZE (1536 * KIB)
#define SMALLEST_SIZE (64 * KIB)

/* Ends with 1 when it has touched all of it; a stack that is too small ends the process. */
static DWORD PALAPI use_stack(LPVOID size)
{
    touch_stack((size_t)(uintptr_t)size - stack_slack);
    return 1;
}

/* Twice: the second one may have the first one's stack. */
static void expect_usable(size_t requested, size_t usable)
{
    for (int i = 0; i < 2; i++) {
        HANDLE thread =
            CreateThread(NULL, requested, use_stack, (LPVOID)(uintptr_t)usable, 0, NULL);
        ASSERT_NE(thread, NULL);
        EXPECT_EQ(thread_finish(thread), 1u);
    }
}

PAL_TEST(thread_stack, usable_as_asked_for)
{
    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    expect_usable(0, DEFAULT_SIZE);
    expect_usable(1, SMALLEST_SIZE);
    expect_usable(4095, SMALLEST_SIZE);
    expect_usable(70001, 70001);
    expect_usable(256 * KIB, 256 * KIB);
    expect_usable(16 * MIB, 16 * MIB);
    expect_usable(16 * MIB + 1, 16 * MIB + 1);
    PAL_Terminate();
}

/* Told, not touched: there is not that much memory. */
static DWORD PALAPI has_stack(LPVOID size)
{
    ULONG_PTR low = 0;
    ULONG_PTR high = 0;

    GetCurrentThreadStackLimits(&low, &high);
    return high - low >= *(size_t *)size;
}

PAL_TEST(thread_stack, huge_is_honoured_or_fails_cleanly)
{
    size_t sizes[] = {SIZE_MAX,         SIZE_MAX - 1,   SIZE_MAX - 4096, SIZE_MAX - 70000,
                      SIZE_MAX / 2 + 1, SIZE_MAX / 2,   SIZE_MAX / 4,    SIZE_MAX / 1024,
                      SIZE_MAX >> 17,   (size_t)1 << 30};
    bool failed = false;

    ASSERT_EQ(PAL_InitializeDLL(), 0);
    kit_resources_warm_up();
    const int tasks = kit_resources_now().tasks;
    thread_finish(thread_start(thread_returns, NULL));
    const struct kit_resources before = resources_when_settled(tasks);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        errno = 0;
        SetLastError(ERROR_SUCCESS);
        HANDLE thread = CreateThread(NULL, sizes[i], has_stack, &sizes[i], 0, NULL);
        if (thread) {
            EXPECT_EQ(thread_finish(thread), 1u);
            EXPECT_LE(sizes[i], SIZE_MAX / 2);
            continue;
        }
        EXPECT_EQ(GetLastError(), (DWORD)ERROR_NOT_ENOUGH_MEMORY);
        EXPECT_EQ(errno, ENOMEM);
        EXPECT_TRUE(PAL_CreateThreadHint(errno) != NULL);
        failed = true;
    }
    EXPECT_TRUE(failed);
    EXPECT_EQ(thread_finish(thread_start(thread_returns, (LPVOID)5)), 5u);
    const struct kit_resources after = kit_resources_after(&before);
    EXPECT_EQ(after.tasks, before.tasks);
    EXPECT_EQ(after.descriptors, before.descriptors);
    PAL_Terminate();
}

static void with_little_address_space(void *unused)
{
    (void)unused;
    ASSERT_EQ(PAL_InitializeDLL(), 0);
    ASSERT_EQ(kit_limit(RLIMIT_AS, 512 * MIB), 0);
    const int tasks = kit_resources_now().tasks;
    thread_finish(thread_start(thread_returns, NULL));
    const struct kit_resources before = resources_when_settled(tasks);
    for (int i = 0; i < 20; i++) {
        errno = 0;
        SetLastError(ERROR_SUCCESS);
        EXPECT_EQ(CreateThread(NULL, 1024 * MIB, thread_returns, NULL, 0, NULL), NULL);
        EXPECT_EQ(GetLastError(), (DWORD)ERROR_NOT_ENOUGH_MEMORY);
        EXPECT_EQ(errno, ENOMEM);
    }
    EXPECT_RESOURCES_EQ(before, kit_resources_after(&before));
    EXPECT_EQ(thread_finish(thread_start(thread_returns, (LPVOID)5)), 5u);
    PAL_Terminate();
}

PAL_TEST(thread_stack, no_address_space_left)
{
    SKIP_UNLESS(!KIT_SANITIZED, "a sanitizer needs address space beyond any limit");
    struct kit_child_result result = kit_run_child(with_little_address_space, NULL);
    EXPECT_CHILD_OK(result);
}

/* ulimit -s: libc reads it when the program starts, so that takes a program. */
static void limit_stack(void *limit)
{
    ASSERT_EQ(kit_limit(RLIMIT_STACK, *(unsigned long *)limit), 0);
}

static void expect_host_to_work(unsigned long limit)
{
    char *const argv[] = {THREAD_HOST,  "stacks",      "0=1572864",         "1=65536",
                          "4095=65536", "70001=70001", "16777216=16777216", NULL};
    struct kit_child_result result = kit_run_program_after(argv, NULL, limit_stack, &limit);

    EXPECT_CHILD_OK(result);
    EXPECT_STRHAS(result.output, "5 threads\n");
}

PAL_TEST(thread_stack, under_an_unlimited_stack)
{
    struct rlimit now;

    ASSERT_EQ(getrlimit(RLIMIT_STACK, &now), 0);
    SKIP_UNLESS(now.rlim_max == RLIM_INFINITY, "the limit of stacks cannot be lifted");
    expect_host_to_work(RLIM_INFINITY);
}

PAL_TEST(thread_stack, under_an_odd_limit)
{
    expect_host_to_work(7001 * KIB);
}

static void expect_default(const char *value, size_t size)
{
    setenv("PAL_STACK_SIZE", value, 1);
    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    expect_usable(0, size);
    expect_usable(256 * KIB, 256 * KIB);
    PAL_Terminate();
}

PAL_TEST(thread_stack, environment_overrides_the_default)
{
    expect_default("8388608", 8 * MIB);
    expect_default("0x400000", 4 * MIB);
    expect_default("", DEFAULT_SIZE);
    expect_default("1", SMALLEST_SIZE);
}

static DWORD PALAPI tell_size(LPVOID size)
{
    ULONG_PTR low;
    ULONG_PTR high;

    GetCurrentThreadStackLimits(&low, &high);
    *(size_t *)size = high - low;
    return 0;
}

PAL_TEST(thread_stack, environment_makes_the_default_smaller)
{
    size_t size = 0;

    setenv("PAL_STACK_SIZE", "262144", 1);
    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    thread_finish(thread_start(tell_size, &size));
    EXPECT_GE(size, 256 * KIB);
    EXPECT_LT(size, DEFAULT_SIZE);
    PAL_Terminate();
    unsetenv("PAL_STACK_SIZE"); /* and back to what it was */
    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    thread_finish(thread_start(tell_size, &size));
    EXPECT_GE(size, DEFAULT_SIZE);
    PAL_Terminate();
}

PAL_TEST(thread_stack, bad_environment_is_an_error)
{
    const char *const values[] = {"abc",  "12k", "-1", "+1",   "1.5",
                                  "1 ",   " 1",  "0x", "0xzz", "99999999999999999999999999",
                                  "1,000"};

    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        setenv("PAL_STACK_SIZE", values[i], 1);
        EXPECT_EQ(PAL_Initialize(0, NULL), -1);
        EXPECT_EQ(GetLastError(), (DWORD)ERROR_PALINIT_ENV);
    }
    unsetenv("PAL_STACK_SIZE");
    EXPECT_EQ(PAL_Initialize(0, NULL), 0);
    PAL_Terminate();
}

/* Tells, without dying of it, whether a byte can be read. */
static bool is_readable(ULONG_PTR address)
{
    int ends[2];

    if (pipe(ends) != 0)
        return false;
    const bool readable = write(ends[1], (const void *)address, 1) == 1;
    (void)close(ends[0]);
    (void)close(ends[1]);
    return readable;
}

static DWORD PALAPI look_around(LPVOID parameter)
{
    const size_t size = (size_t)(uintptr_t)parameter;
    volatile char here = 0;
    ULONG_PTR low = 0;
    ULONG_PTR high = 0;

    SetLastError(4711);
    GetCurrentThreadStackLimits(&low, &high);
    EXPECT_EQ(GetLastError(), 4711u);
    EXPECT_LE(low, (ULONG_PTR)&here);
    EXPECT_GT(high, (ULONG_PTR)&here);
    EXPECT_GE(high - low, size);
    EXPECT_TRUE(is_readable(high - 1));
    EXPECT_TRUE(is_readable(low));
    EXPECT_FALSE(is_readable(low - 1));
    GetCurrentThreadStackLimits(NULL, NULL);
    return 0;
}

/* The guard is there on a stack's first use and on its later ones. */
PAL_TEST(thread_stack, limits_end_at_the_guard)
{
    const size_t sizes[] = {SMALLEST_SIZE, DEFAULT_SIZE, SMALLEST_SIZE, DEFAULT_SIZE};

    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    for (int i = 0; i < 4; i++) {
        HANDLE thread =
            CreateThread(NULL, sizes[i], look_around, (LPVOID)(uintptr_t)sizes[i], 0, NULL);
        ASSERT_NE(thread, NULL);
        thread_finish(thread);
    }
    PAL_Terminate();
}

static DWORD PALAPI overflow(LPVOID unused)
{
    (void)unused;
    touch_stack(512 * KIB);
    return 1;
}

/* Further stacks are there to be hit by what passes the guard. */
enum { NEIGHBOURS = 8 };

static void overflow_a_stack(void *rounds)
{
    static struct held neighbours[NEIGHBOURS];

    ASSERT_EQ(PAL_InitializeDLL(), 0);
    (void)signal(SIGSEGV, SIG_DFL); /* a sanitizer has its own idea of it */
    for (int i = 0; i < *(int *)rounds; i++) {
        HANDLE thread = CreateThread(NULL, SMALLEST_SIZE, thread_returns, NULL, 0, NULL);
        ASSERT_NE(thread, NULL);
        thread_finish(thread);
    }
    HANDLE thread = CreateThread(NULL, SMALLEST_SIZE, overflow, NULL, CREATE_SUSPENDED, NULL);
    ASSERT_NE(thread, NULL);
    for (int i = 0; i < NEIGHBOURS; i++) {
        held_init(&neighbours[i]);
        ASSERT_NE(CreateThread(NULL, MIB, held_body, &neighbours[i], 0, NULL), NULL);
        kit_latch_wait(&neighbours[i].running);
    }
    EXPECT_EQ(ResumeThread(thread), 1u);
    thread_finish(thread);
}

/* On a fresh stack, and on one that others have had. */
PAL_TEST(thread_stack, overflow_ends_the_process)
{
    for (int rounds = 0; rounds <= 20; rounds += 10) {
        struct kit_child_result result = kit_run_child(overflow_a_stack, &rounds);
        EXPECT_EQ(result.signal, SIGSEGV);
    }
}

static void *look_from_foreign_thread(void *size)
{
    volatile char here = 0;
    ULONG_PTR low = 0;
    ULONG_PTR high = 0;

    GetCurrentThreadStackLimits(&low, &high);
    EXPECT_LE(low, (ULONG_PTR)&here);
    EXPECT_GT(high, (ULONG_PTR)&here);
    if (!KIT_TSAN) /* which makes it larger */
        EXPECT_LE(high - low, *(size_t *)size + 64 * KIB);
    EXPECT_TRUE(is_readable(low));
    EXPECT_FALSE(is_readable(low - 1));
    if (low != 0 && low < (ULONG_PTR)&here)
        touch_stack((size_t)((ULONG_PTR)&here - low) - stack_slack);
    return NULL;
}

PAL_TEST(thread_stack, limits_of_a_foreign_thread)
{
    size_t size = 512 * KIB;
    pthread_attr_t attributes;
    pthread_t thread;

    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    ASSERT_EQ(pthread_attr_init(&attributes), 0);
    ASSERT_EQ(pthread_attr_setstacksize(&attributes, size), 0);
    ASSERT_EQ(pthread_create(&thread, &attributes, look_from_foreign_thread, &size), 0);
    ASSERT_EQ(pthread_join(thread, NULL), 0);
    (void)pthread_attr_destroy(&attributes);
    PAL_Terminate();
}

/* A limit of another time than the program's start counts as well. */
static void look_from_main_thread(void *unused)
{
    volatile char here = 0;
    ULONG_PTR low = 0;
    ULONG_PTR high = 0;

    (void)unused;
    ASSERT_EQ(kit_limit(RLIMIT_STACK, 7001 * KIB), 0);
    for (int initialized = 0; initialized < 2; initialized++) {
        GetCurrentThreadStackLimits(&low, &high);
        EXPECT_LE(low, (ULONG_PTR)&here);
        EXPECT_GT(high, (ULONG_PTR)&here);
        EXPECT_TRUE(is_readable(high - 1));
        EXPECT_LE(high - low, 7001 * KIB);
        EXPECT_GE(high - low, 6000 * KIB);
        ASSERT_EQ(PAL_InitializeDLL(), 0);
    }
    touch_stack((size_t)((ULONG_PTR)&here - low) - 64 * KIB);
    GetCurrentThreadStackLimits(NULL, NULL);
}

PAL_TEST(thread_stack, limits_of_the_main_thread)
{
    struct kit_child_result result = kit_run_child(look_from_main_thread, NULL);
    EXPECT_CHILD_OK(result);
}

static void look_from_unlimited_main_thread(void *unused)
{
    volatile char here = 0;
    ULONG_PTR low = 0;
    ULONG_PTR high = 0;

    (void)unused;
    SKIP_UNLESS(kit_limit(RLIMIT_STACK, RLIM_INFINITY) == 0,
                "the limit of stacks cannot be lifted");
    GetCurrentThreadStackLimits(&low, &high);
    EXPECT_LE(low, (ULONG_PTR)&here);
    EXPECT_GT(high, (ULONG_PTR)&here);
}

PAL_TEST(thread_stack, limits_of_an_unlimited_main_thread)
{
    struct kit_child_result result = kit_run_child(look_from_unlimited_main_thread, NULL);
    EXPECT_CHILD_OK(result);
}
