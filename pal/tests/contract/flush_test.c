/* SPDX-License-Identifier: MIT */
/* The flush under the filters and limits of real sandboxes: cases seen in public bug reports. */
#include <errno.h>
#include <pal.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kit/child.h"
#include "kit/seccomp.h"
#include "kit/test.h"
#include "kit/trace.h"

#if defined(__x86_64__) || defined(__i386__)
#define ON_X86 1
#else
#define ON_X86 0
#endif

static PAL_FLUSH_INFO info(void)
{
    PAL_FLUSH_INFO info = {0};

    EXPECT_TRUE(PAL_GetFlushInfo(&info));
    return info;
}

/* Denied, or answered 0 by a stub: a fallback serves and says so. */
static void with_membarrier_answering(void *arg)
{
    const int *error = arg;

    SKIP_UNLESS(kit_deny_syscall(SYS_membarrier, *error) == 0, "no seccomp here");
    int result = PAL_Initialize(0, NULL);
    if (result != 0) {
        /* Not x86, or a part whose mprotect interrupts nobody: nothing is sound. */
        EXPECT_EQ(GetLastError(), (DWORD)ERROR_PALINIT_INITIALIZE_FLUSH_PROCESS_WRITE_BUFFERS);
        SKIP("no fallback is sound on this machine");
    }
    EXPECT_TRUE(ON_X86);
    EXPECT_EQ((int)info().method, (int)PAL_FLUSH_METHOD_MPROTECT);
    for (int i = 0; i < 100; i++)
        FlushProcessWriteBuffers();
    PAL_Terminate();
}

static void expect_fallback(int error)
{
    struct kit_child_result result = kit_run_child(with_membarrier_answering, &error);
    EXPECT_CHILD_OK(result);
}

PAL_TEST(flush_contract, membarrier_eperm)
{
    expect_fallback(EPERM);
}

PAL_TEST(flush_contract, membarrier_enosys)
{
    expect_fallback(ENOSYS);
}

PAL_TEST(flush_contract, membarrier_einval)
{
    expect_fallback(EINVAL);
}

PAL_TEST(flush_contract, membarrier_stub_that_returns_0)
{
    expect_fallback(0);
}

static void deny_and_initialize(void *arg)
{
    (void)arg;
    SKIP_UNLESS(kit_deny_syscall(SYS_membarrier, EPERM) == 0, "no seccomp here");
    setenv("PAL_FLUSH", "membarrier", 1);
    EXPECT_EQ(PAL_Initialize(0, NULL), -1);
    EXPECT_EQ(GetLastError(), (DWORD)ERROR_PALINIT_INITIALIZE_FLUSH_PROCESS_WRITE_BUFFERS);
}

PAL_TEST(flush_contract, forced_membarrier_that_is_denied_fails)
{
    struct kit_child_result result = kit_run_child(deny_and_initialize, NULL);
    EXPECT_CHILD_OK(result);
}

/* The opt-out: a filter that kills is never met, and neither is an odd unshare. */
static void with_killing_filter(void *unused)
{
    (void)unused;
    setenv("PAL_FLUSH", "none", 1);
    SKIP_UNLESS(kit_kill_on_syscall(SYS_membarrier) == 0, "no seccomp here");
    SKIP_UNLESS(kit_kill_on_syscall(SYS_unshare) == 0, "no seccomp here");
    ASSERT_EQ(PAL_InitializeCoreCLR("test", TRUE), (DWORD)ERROR_SUCCESS);
    EXPECT_EQ((int)info().method, (int)PAL_FLUSH_METHOD_NONE);
    FlushProcessWriteBuffers();
    PAL_Terminate();
}

PAL_TEST(flush_contract, opt_out_under_a_killing_filter)
{
    struct kit_child_result result = kit_run_child(with_killing_filter, NULL);
    EXPECT_CHILD_OK(result);
}

/* The control: without the opt-out the filter is met. */
static void with_killing_filter_and_no_opt_out(void *unused)
{
    (void)unused;
    SKIP_UNLESS(kit_kill_on_syscall(SYS_membarrier) == 0, "no seccomp here");
    (void)PAL_InitializeDLL();
}

PAL_TEST(flush_contract, killing_filter_is_met_without_the_opt_out)
{
    struct kit_child_result result = kit_run_child(with_killing_filter_and_no_opt_out, NULL);

    RETURN_IF_SKIPPED();
    EXPECT_EQ(result.signal, SIGSYS);
}

static void with_mlock_denied(void *arg)
{
    const int *error = arg;

    SKIP_UNLESS(kit_deny_syscall(SYS_mlock, *error) == 0, "no seccomp here");
    setenv("PAL_FLUSH", "mprotect", 1);
    ASSERT_EQ(PAL_InitializeDLL(), 0);
    EXPECT_FALSE(info().locked);
    FlushProcessWriteBuffers();
    PAL_Terminate();
}

PAL_TEST(flush_contract, mlock_denied)
{
    int errors[] = {EPERM, ENOMEM};

    SKIP_UNLESS(!KIT_ASAN && !KIT_TSAN, "sanitizers make mlock a call that does nothing");
    for (int i = 0; i < 2; i++) {
        struct kit_child_result result = kit_run_child(with_mlock_denied, &errors[i]);
        EXPECT_CHILD_OK(result);
    }
}

static void with_mlock_killing(void *unused)
{
    (void)unused;
    SKIP_UNLESS(kit_kill_on_syscall(SYS_mlock) == 0, "no seccomp here");
    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    FlushProcessWriteBuffers();
    PAL_Terminate();
}

/* While membarrier works, mlock is not even called. */
PAL_TEST(flush_contract, mlock_is_not_called)
{
    PAL_FLUSH_INFO now;

    ASSERT_EQ(PAL_InitializeDLL(), 0);
    ASSERT_TRUE(PAL_GetFlushInfo(&now));
    SKIP_UNLESS(now.method == PAL_FLUSH_METHOD_MEMBARRIER, "membarrier is not to be had");
    PAL_Terminate();
    struct kit_child_result result = kit_run_child(with_mlock_killing, NULL);
    EXPECT_CHILD_OK(result);
}

/* Each method that can be asked for, and that the answer says so. */
static void by_method(void *arg)
{
    const char *name = arg;

    setenv("PAL_FLUSH", name, 1);
    SKIP_UNLESS(PAL_InitializeDLL() == 0, "this machine lacks one of the methods");
    EXPECT_STREQ(PAL_FlushMethodName(info().method), name);
    FlushProcessWriteBuffers();
    FlushProcessWriteBuffers();
    PAL_Terminate();
}

PAL_TEST(flush_contract, every_method_on_request)
{
    static const char *const names[] = {"membarrier", "mprotect", "global", "none"};

    for (int i = 0; i < 4; i++) {
        struct kit_child_result result = kit_run_child(by_method, (void *)names[i]);
        EXPECT_CHILD_OK(result);
    }
}

/* The page is a mapping of its own: what the flush protects is one page and nobody else's. */
static void flush_by_mprotect(void *unused)
{
    (void)unused;
    setenv("PAL_FLUSH", "mprotect", 1);
    ASSERT_EQ(PAL_InitializeDLL(), 0);
    kit_trace_mark(1);
    FlushProcessWriteBuffers();
    kit_trace_mark(2);
}

PAL_TEST(flush_contract, mprotect_uses_one_page_of_its_own)
{
    struct kit_trace_log log;

    SKIP_UNLESS(kit_trace(flush_by_mprotect, NULL, &log) == 0, "ptrace is not to be had");
    unsigned long page_size = (unsigned long)sysconf(_SC_PAGESIZE);
    int begin = kit_trace_find_mark(&log, 0, 1);
    int end = kit_trace_find_mark(&log, 0, 2);
    int first = kit_trace_find(&log, begin, SYS_mprotect, KIT_ANY);
    ASSERT_TRUE(begin >= 0 && first > begin && first + 1 < end);
    EXPECT_EQ(log.calls[first].args[1], page_size);
    EXPECT_EQ(log.calls[first].args[2], 3ul);
    EXPECT_EQ(log.calls[first + 1].nr, SYS_mprotect);
    EXPECT_EQ(log.calls[first + 1].args[0], log.calls[first].args[0]);
    EXPECT_EQ(log.calls[first + 1].args[1], page_size);
    EXPECT_EQ(log.calls[first + 1].args[2], 0ul);
#ifdef SYS_mmap
    bool mapped = false;
    for (int i = 0; i < begin; i++)
        mapped |= log.calls[i].nr == SYS_mmap && log.calls[i].args[1] == page_size &&
                  (unsigned long)log.calls[i].result == log.calls[first].args[0];
    EXPECT_TRUE(mapped);
#endif
    kit_trace_free(&log);
}

static void with_mprotect_denied_later(void *unused)
{
    (void)unused;
    setenv("PAL_FLUSH", "mprotect", 1);
    ASSERT_EQ(PAL_InitializeDLL(), 0);
    FlushProcessWriteBuffers();
    SKIP_UNLESS(kit_deny_syscall(SYS_mprotect, EPERM) == 0, "no seccomp here");
    FlushProcessWriteBuffers();
}

/* A filter that is loaded later takes the last method away: the end, not a flush that is none. */
PAL_TEST(flush_contract, mprotect_denied_later_is_the_end)
{
    SKIP_UNLESS(!KIT_SANITIZED, "a sanitizer changes protections as well");
    struct kit_child_result result = kit_run_child(with_mprotect_denied_later, NULL);

    RETURN_IF_SKIPPED();
    EXPECT_EQ(result.signal, SIGABRT);
    EXPECT_STRHAS(result.output,
                  "the flush has failed, and nothing else is sound: Operation not permitted");
}

static void deny_and_look_at_the_trace(void *arg)
{
    const int *error = arg;
    PAL_INIT_PHASE phases[16];

    SKIP_UNLESS(kit_deny_syscall(SYS_membarrier, *error) == 0, "no seccomp here");
    setenv("PAL_FLUSH", "membarrier", 1);
    EXPECT_EQ(PAL_InitializeDLL(), -1);
    DWORD count = PAL_GetInitTrace(phases, 16);
    ASSERT_GT(count, 0u);
    EXPECT_STREQ(phases[count - 1].name, "flush");
    EXPECT_EQ(phases[count - 1].error_number, *error);
}

/* The errno that the filter gave, whichever it is. */
PAL_TEST(flush_contract, errno_of_a_denied_membarrier_is_told)
{
    int errors[] = {EPERM, ENOSYS, EACCES};

    for (int i = 0; i < 3; i++) {
        struct kit_child_result result = kit_run_child(deny_and_look_at_the_trace, &errors[i]);
        EXPECT_CHILD_OK(result);
    }
}
