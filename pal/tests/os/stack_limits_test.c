/* SPDX-License-Identifier: MIT */
#include "os/stack_limits.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kit/child.h"
#include "kit/seccomp.h"
#include "kit/test.h"

#define KIB ((size_t)1024)
#define MIB (1024 * KIB)

struct limits {
    int error;
    char *low;
    char *high;
    char *here;
};

static void *ask(void *limits_)
{
    struct limits *limits = limits_;
    void *low = NULL;
    void *high = NULL;

    limits->error = os_stack_limits(&low, &high);
    limits->low = low;
    limits->high = high;
    limits->here = __builtin_frame_address(0);
    return limits;
}

static void expect_inside(const struct limits *limits)
{
    EXPECT_EQ(limits->error, 0);
    EXPECT_LT((uintptr_t)limits->low, (uintptr_t)limits->here);
    EXPECT_LT((uintptr_t)limits->here, (uintptr_t)limits->high);
}

/* Touches the stack downward until so many bytes above `low` are left. */
__attribute__((noinline)) static void grow_down_to(const char *low, size_t left)
{
    volatile char block[4096];

    block[0] = 1;
    if ((size_t)((char *)block - low) > left + 2 * sizeof block)
        grow_down_to(low, left);
    block[sizeof block - 1] = block[0];
}

PAL_TEST(stack_limits, main_thread_can_use_it_all)
{
    struct limits limits;

    SKIP_UNLESS(!KIT_SANITIZED, "a sanitizer's frames are larger");
    ask(&limits);
    expect_inside(&limits);
    EXPECT_GE((size_t)(limits.high - limits.low), 256 * KIB);
    grow_down_to(limits.low, 16 * KIB);
    struct limits grown;
    ask(&grown);
    EXPECT_EQ((void *)grown.low, (void *)limits.low);
    EXPECT_EQ((void *)grown.high, (void *)limits.high);
}

static void *ask_and_use(void *limits_)
{
    struct limits *limits = limits_;

    ask(limits);
    grow_down_to(limits->low, 16 * KIB);
    return NULL;
}

static void ask_on_thread(struct limits *limits, size_t size, void *(*body)(void *))
{
    pthread_t thread;
    pthread_attr_t attributes;

    ASSERT_EQ(pthread_attr_init(&attributes), 0);
    ASSERT_EQ(pthread_attr_setstacksize(&attributes, size), 0);
    ASSERT_EQ(pthread_create(&thread, &attributes, body, limits), 0);
    ASSERT_EQ(pthread_join(thread, NULL), 0);
}

PAL_TEST(stack_limits, foreign_thread_can_use_it_all)
{
    struct limits limits = {0};

    SKIP_UNLESS(!KIT_SANITIZED, "a sanitizer's stacks are larger");
    ask_on_thread(&limits, 256 * KIB, ask_and_use);
    expect_inside(&limits);
    EXPECT_GE((size_t)(limits.high - limits.low), 240 * KIB); /* musl takes its own off */
    EXPECT_LE((size_t)(limits.high - limits.low), 264 * KIB);
}

static void report(void *limits_)
{
    struct limits *limits = limits_;

    ask(limits);
    expect_inside(limits);
    grow_down_to(limits->low, 32 * KIB);
    printf("%zu KiB\n", (size_t)(limits->high - limits->low) / KIB);
}

static struct kit_child_result under_limit(rlim_t soft)
{
    struct rlimit limit;
    struct limits limits;

    (void)getrlimit(RLIMIT_STACK, &limit);
    limit.rlim_cur = soft;
    (void)setrlimit(RLIMIT_STACK, &limit);
    return kit_run_child(report, &limits);
}

PAL_TEST(stack_limits, odd_limit)
{
    SKIP_UNLESS(!KIT_SANITIZED, "a sanitizer's frames are larger");
    struct kit_child_result result = under_limit(7001 * KIB);

    EXPECT_EQ(result.exit_code, 0);
    EXPECT_STRHAS(result.output, "KiB");
    EXPECT_GE(atoi(result.output), 6900);
    EXPECT_LE(atoi(result.output), 7001);
}

PAL_TEST(stack_limits, no_limit)
{
    struct rlimit limit = {.rlim_cur = RLIM_INFINITY, .rlim_max = RLIM_INFINITY};
    struct limits limits;

    SKIP_UNLESS(setrlimit(RLIMIT_STACK, &limit) == 0, "the hard limit may not be raised");
    ask(&limits);
    expect_inside(&limits);
    EXPECT_GT((size_t)(limits.high - limits.low), 8 * MIB);
}

PAL_TEST(stack_limits, lowered_below_what_is_in_use)
{
    struct limits limits;
    struct rlimit limit;

    (void)getrlimit(RLIMIT_STACK, &limit);
    limit.rlim_cur = 4 * KIB;
    ASSERT_EQ(setrlimit(RLIMIT_STACK, &limit), 0);
    ask(&limits);
    expect_inside(&limits);
}

static void deny_files(void)
{
#ifdef SYS_open
    SKIP_UNLESS(kit_deny_syscall(SYS_open, EACCES) == 0, "no filters");
#endif
    SKIP_UNLESS(kit_deny_syscall(SYS_openat, EACCES) == 0, "no filters");
}

PAL_TEST(stack_limits, without_proc)
{
    struct limits with;
    struct limits without;

    SKIP_UNLESS(!KIT_ASAN, "LeakSanitizer reads /proc at the end");
    ask(&with);
    deny_files();
    ask(&without);
    expect_inside(&without);
    EXPECT_EQ((void *)without.high, (void *)with.high);
    ask_on_thread(&without, 256 * KIB, ask);
    expect_inside(&without);
}

static void *fork_and_ask(void *limits_)
{
    struct limits *limits = limits_;

    ask(limits);
    pid_t child = fork();
    if (child == 0) {
        struct limits in_child;
        ask(&in_child);
        _exit(in_child.error == 0 && in_child.low == limits->low && in_child.high == limits->high
                  ? 0
                  : 1);
    }
    int status = -1;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    return NULL;
}

PAL_TEST(stack_limits, fork_moves_the_main_thread)
{
    struct limits limits = {0};

    SKIP_UNLESS(!KIT_TSAN, "ThreadSanitizer may hang in a child of a process with threads");
    ask_on_thread(&limits, 256 * KIB, fork_and_ask);
    expect_inside(&limits);
}
