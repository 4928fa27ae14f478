/* SPDX-License-Identifier: MIT */
/*
 * The registration comes before the first thread, over every combination of flags: seen in the
 * system calls, whatever they cost. The control is the wrong order, which the same check catches.
 */
#include <errno.h>
#include <pal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kit/latch.h"
#include "kit/test.h"
#include "kit/trace.h"

#define REGISTER (1 << 4) /* MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED */

enum { MARK_BEGIN = 1, MARK_END = 2 };

static void initialize(void *arg)
{
    const DWORD *flags = arg;

    kit_trace_mark(MARK_BEGIN);
    int result = PAL_InitializeWithFlags(0, NULL, *flags);
    kit_trace_mark(MARK_END);
    EXPECT_EQ(result, 0);
    PAL_Terminate();
}

/* The first call within [from, to) that makes a thread, or -1. */
static int find_thread(const struct kit_trace_log *log, int from, int to)
{
    for (int i = from; i < to; i++) {
        long nr = log->calls[i].nr;
        if (nr == SYS_clone
#ifdef SYS_clone3
            || nr == SYS_clone3
#endif
        )
            return i;
    }
    return -1;
}

struct order {
    int registration; /* index of the first within initialisation, or -1 */
    int thread;
};

static struct order trace_order(DWORD flags)
{
    struct order order = {-1, -1};
    struct kit_trace_log log;
    int error = kit_trace(initialize, &flags, &log);

    if (error) {
        kit_skip(__FILE__, __LINE__, "ptrace is not to be had");
        return order;
    }
    int begin = kit_trace_find_mark(&log, 0, MARK_BEGIN);
    int end = kit_trace_find_mark(&log, 0, MARK_END);
    EXPECT_GE(begin, 0);
    EXPECT_GT(end, begin);
    if (end > begin) {
        order.registration = kit_trace_find(&log, begin, SYS_membarrier, REGISTER);
        if (order.registration >= end)
            order.registration = -1;
        order.thread = find_thread(&log, begin, end);
    }
    kit_trace_free(&log);
    return order;
}

static bool registration_is_first(struct order order)
{
    return order.registration >= 0 && (order.thread < 0 || order.registration < order.thread);
}

/* 2^9 combinations, in four tests so that no one of them takes long. */
static void expect_right_order(DWORD first, DWORD end)
{
    SKIP_UNLESS(!KIT_TSAN, "ThreadSanitizer's own thread is alive before there is anything to do");
    for (DWORD flags = first; flags < end; flags++) {
        struct order order = trace_order(flags);
        RETURN_IF_SKIPPED();
        if (!registration_is_first(order))
            kit_fail(__FILE__, __LINE__, "flags 0x%x: registration at %d, thread at %d",
                     (unsigned)flags, order.registration, order.thread);
        EXPECT_EQ(order.thread >= 0, (flags & PAL_INITIALIZE_SYNC_THREAD) != 0);
    }
}

PAL_TEST(order, flags_000_to_07f)
{
    expect_right_order(0x000, 0x080);
}

PAL_TEST(order, flags_080_to_0ff)
{
    expect_right_order(0x080, 0x100);
}

PAL_TEST(order, flags_100_to_17f)
{
    expect_right_order(0x100, 0x180);
}

PAL_TEST(order, flags_180_to_1ff)
{
    expect_right_order(0x180, 0x200);
}

/* The control. */
PAL_TEST(order, worker_first_is_caught)
{
    struct order order = trace_order(PAL_INITIALIZE_CORECLR | PAL_INITIALIZE_WORKER_FIRST);

    RETURN_IF_SKIPPED();
    EXPECT_GE(order.registration, 0);
    EXPECT_GE(order.thread, 0);
    EXPECT_FALSE(registration_is_first(order));
}

/* A host that has threads: no registration at init, whatever the flags; the first flush makes it.
 */
static void wait_for_latch(int index, void *arg)
{
    (void)index;
    kit_latch_wait(arg);
}

static void host_threads_then_initialize(void *arg)
{
    static struct kit_threads threads;
    static struct kit_latch end;

    kit_latch_init(&end, 1);
    ASSERT_EQ(kit_threads_start(&threads, 4, wait_for_latch, &end), 4);
    initialize(arg);
    kit_latch_arrive(&end);
    kit_threads_join(&threads);
}

static int registrations_in_threaded_host(DWORD flags)
{
    struct kit_trace_log log;
    int count = 0;

    if (kit_trace(host_threads_then_initialize, &flags, &log) != 0) {
        kit_skip(__FILE__, __LINE__, "ptrace is not to be had");
        return 0;
    }
    for (int i = 0; i < log.count; i++)
        count += log.calls[i].nr == SYS_membarrier && (int)log.calls[i].args[0] == REGISTER;
    kit_trace_free(&log);
    return count;
}

PAL_TEST(order, threaded_host_does_not_register)
{
    EXPECT_EQ(registrations_in_threaded_host(PAL_INITIALIZE_CORECLR), 0);
    EXPECT_EQ(registrations_in_threaded_host(PAL_INITIALIZE_DLL), 0);
}

/* The control: registering there, as CoreCLR would, is seen. */
PAL_TEST(order, threaded_host_that_registers_is_caught)
{
    int count =
        registrations_in_threaded_host(PAL_INITIALIZE_CORECLR | PAL_INITIALIZE_WORKER_FIRST);

    RETURN_IF_SKIPPED();
    EXPECT_EQ(count, 1);
}

/* Initialisation opens no file and reads none: nothing of /proc, nothing at all. */
PAL_TEST(order, init_opens_no_file)
{
    static const long opening[] = {
        SYS_openat, SYS_readlinkat, SYS_statx,
#ifdef SYS_open
        SYS_open,   SYS_readlink,
#endif
    };
    DWORD flags = PAL_INITIALIZE_CORECLR;
    struct kit_trace_log log;

    SKIP_UNLESS(!KIT_TSAN && !KIT_ASAN, "a sanitizer opens files of its own");
    SKIP_UNLESS(kit_trace(initialize, &flags, &log) == 0, "ptrace is not to be had");
    int begin = kit_trace_find_mark(&log, 0, MARK_BEGIN);
    int end = kit_trace_find_mark(&log, 0, MARK_END);
    ASSERT_TRUE(begin >= 0 && end > begin);
    for (int i = begin; i < end; i++)
        for (size_t j = 0; j < sizeof opening / sizeof *opening; j++)
            EXPECT_NE(log.calls[i].nr, opening[j]);
    kit_trace_free(&log);
}

/* Nor does it ask for memory: without a worker, whose stack libc has to find, not a page. */
PAL_TEST(order, init_asks_for_no_memory)
{
    DWORD flags = PAL_INITIALIZE_DLL;
    struct kit_trace_log log;

    SKIP_UNLESS(!KIT_TSAN && !KIT_ASAN, "a sanitizer maps memory of its own");
    SKIP_UNLESS(kit_trace(initialize, &flags, &log) == 0, "ptrace is not to be had");
    int begin = kit_trace_find_mark(&log, 0, MARK_BEGIN);
    int end = kit_trace_find_mark(&log, 0, MARK_END);
    ASSERT_TRUE(begin >= 0 && end > begin);
    for (int i = begin; i < end; i++) {
        EXPECT_NE(log.calls[i].nr, SYS_brk);
        EXPECT_NE(log.calls[i].nr, SYS_mprotect);
        EXPECT_NE(log.calls[i].nr, SYS_mlock);
#ifdef SYS_mmap
        EXPECT_NE(log.calls[i].nr, SYS_mmap);
#endif
    }
    kit_trace_free(&log);
}

/* Terminating while a thread of ours registers waits for it: the library may be unloaded then. */
static void flush_and_terminate(void *unused)
{
    static struct kit_threads threads;
    static struct kit_latch end;

    (void)unused;
    kit_latch_init(&end, 1);
    ASSERT_EQ(kit_threads_start(&threads, 1, wait_for_latch, &end), 1);
    ASSERT_EQ(PAL_InitializeDLL(), 0);
    FlushProcessWriteBuffers();
    PAL_Terminate();
    kit_trace_mark(MARK_END);
    kit_latch_arrive(&end);
    kit_threads_join(&threads);
}

PAL_TEST(order, terminate_waits_for_the_registration)
{
    struct kit_trace_log log;

    SKIP_UNLESS(kit_trace(flush_and_terminate, NULL, &log) == 0, "ptrace is not to be had");
    int end = kit_trace_find_mark(&log, 0, MARK_END);
    int registration = kit_trace_find(&log, 0, SYS_membarrier, REGISTER);
    ASSERT_GE(end, 0);
    ASSERT_GE(registration, 0);
    EXPECT_TRUE(log.calls[registration].finished);
    EXPECT_LE(log.calls[registration].end, end);
    kit_trace_free(&log);
}
