/* SPDX-License-Identifier: MIT */
/* What the public headers promise of initialisation. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pal.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "kit/child.h"
#include "kit/latch.h"
#include "kit/limits.h"
#include "kit/resources.h"
#include "kit/seccomp.h"
#include "kit/test.h"

enum { MOST_PHASES = 16 };

PAL_TEST(init_contract, all_four_ways)
{
    const char *const argv[] = {"program", "argument", NULL};
    char *const argv_of_main[] = {"program", NULL};

    SetLastError(ERROR_NOT_READY);
    EXPECT_EQ(PAL_Initialize(1, argv_of_main), 0);
    EXPECT_EQ(GetLastError(), (DWORD)ERROR_SUCCESS);
    EXPECT_EQ(PAL_InitializeWithFlags(2, argv, PAL_INITIALIZE), 0);
    EXPECT_EQ(PAL_InitializeDLL(), 0);
    EXPECT_EQ(PAL_InitializeCoreCLR(NULL, FALSE), (DWORD)ERROR_SUCCESS);
    for (int i = 0; i < 4; i++)
        PAL_Terminate();
    EXPECT_EQ(GetLastError(), (DWORD)ERROR_SUCCESS);
    PAL_Terminate();
    EXPECT_EQ(GetLastError(), (DWORD)ERROR_NOT_READY);
}

PAL_TEST(init_contract, unknown_flags)
{
    EXPECT_EQ(PAL_InitializeWithFlags(0, NULL, 0x200), -1);
    EXPECT_EQ(GetLastError(), (DWORD)ERROR_INVALID_FLAGS);
    EXPECT_EQ(PAL_InitializeWithFlags(0, NULL, 0xffffffffu), -1);
    EXPECT_EQ(GetLastError(), (DWORD)ERROR_INVALID_FLAGS);
    EXPECT_EQ(PAL_GetInitTrace(NULL, 0), 0u);
}

PAL_TEST(init_contract, again_after_terminate)
{
    for (int i = 0; i < 10; i++) {
        ASSERT_EQ(PAL_Initialize(0, NULL), 0);
        FlushProcessWriteBuffers();
        PAL_Terminate();
    }
}

PAL_TEST(init_contract, trace_tells_rows_times_and_threads)
{
    PAL_INIT_PHASE phases[MOST_PHASES] = {{0}};
    static const char *const names[] = {"system", "environment",  "fork handlers", "current thread",
                                        "flush",  "sync manager", "worker"};

    SKIP_UNLESS(!KIT_TSAN, "ThreadSanitizer has a thread of its own");
    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    ASSERT_EQ(PAL_GetInitTrace(phases, MOST_PHASES), 7u);
    for (int i = 0; i < 7; i++) {
        EXPECT_STREQ(phases[i].name, names[i]);
        EXPECT_EQ(phases[i].result, (DWORD)ERROR_SUCCESS);
        EXPECT_EQ(phases[i].error_number, 0);
        EXPECT_EQ((const void *)phases[i].hint, NULL);
        EXPECT_EQ((int)phases[i].threads, (int)PAL_THREADS_NO);
        if (i > 0)
            EXPECT_GE(phases[i].begin_ns, phases[i - 1].begin_ns + phases[i - 1].duration_ns);
    }
    PAL_Terminate();
}

PAL_TEST(init_contract, trace_of_the_wrong_order_tells_of_the_thread)
{
    PAL_INIT_PHASE phases[MOST_PHASES] = {{0}};

    ASSERT_EQ(
        PAL_InitializeWithFlags(0, NULL, PAL_INITIALIZE_SYNC_THREAD | PAL_INITIALIZE_WORKER_FIRST),
        0);
    ASSERT_EQ(PAL_GetInitTrace(phases, MOST_PHASES), 7u);
    EXPECT_STREQ(phases[5].name, "worker");
    EXPECT_STREQ(phases[6].name, "flush");
    EXPECT_EQ((int)phases[6].threads, (int)PAL_THREADS_YES);
    PAL_Terminate();
}

PAL_TEST(init_contract, trace_bounds)
{
    PAL_INIT_PHASE phases[3] = {{0}};

    EXPECT_EQ(PAL_GetInitTrace(NULL, 0), 0u);
    ASSERT_EQ(PAL_InitializeDLL(), 0);
    SetLastError(ERROR_SUCCESS);
    EXPECT_EQ(PAL_GetInitTrace(NULL, 1), 0u);
    EXPECT_EQ(GetLastError(), (DWORD)ERROR_INVALID_PARAMETER);
    EXPECT_EQ(PAL_GetInitTrace(phases, 2), 5u);
    EXPECT_STREQ(phases[1].name, "environment");
    EXPECT_EQ((const void *)phases[2].name, NULL);
    PAL_Terminate();
}

static void initialize_and_print(void *unused)
{
    (void)unused;
    setenv("PAL_TRACE", "init", 1);
    ASSERT_EQ(PAL_InitializeDLL(), 0);
    ASSERT_EQ(PAL_InitializeDLL(), 0); /* walks nothing, prints nothing */
}

PAL_TEST(init_contract, trace_is_printed_on_request)
{
    struct kit_child_result result = kit_run_child(initialize_and_print, NULL);

    EXPECT_CHILD_OK(result);
    EXPECT_STRHAS(result.output, "pal: init row");
    char *first = strstr(result.output, "pal: flush");
    EXPECT_TRUE(first != NULL);
    EXPECT_TRUE(first && strstr(first + 1, "pal: flush") == NULL);
}

/* Without the worker flag there is one task, before and after a flush. */
PAL_TEST(init_contract, no_worker_no_thread)
{
    SKIP_UNLESS(!KIT_TSAN, "ThreadSanitizer has a thread of its own");
    struct kit_resources before = kit_resources_now();
    ASSERT_EQ(before.tasks, 1);
    ASSERT_EQ(
        PAL_InitializeWithFlags(0, NULL, PAL_INITIALIZE_CORECLR & ~PAL_INITIALIZE_SYNC_THREAD), 0);
    EXPECT_EQ(kit_resources_now().tasks, 1);
    FlushProcessWriteBuffers();
    EXPECT_EQ(kit_resources_now().tasks, 1);
    EXPECT_EQ(kit_resources_now().descriptors, before.descriptors);

    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    EXPECT_EQ(kit_resources_now().tasks, 2);
    PAL_Terminate();
    EXPECT_EQ(kit_resources_now().tasks, 2);
    PAL_Terminate();
    EXPECT_EQ(kit_resources_after(&before).tasks, 1);
    EXPECT_EQ(kit_resources_now().descriptors, before.descriptors);
}

static void without_proc_and_writable_root(void *unused)
{
    (void)unused;
    SKIP_UNLESS(unshare(CLONE_NEWNS) == 0, "mount namespaces are not to be had");
    SKIP_UNLESS(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0, "mount is denied");
    SKIP_UNLESS(umount2("/proc", MNT_DETACH) == 0, "/proc cannot be unmounted");
    SKIP_UNLESS(mount(NULL, "/", NULL, MS_REMOUNT | MS_BIND | MS_RDONLY, NULL) == 0,
                "the root cannot be made read-only");
    ASSERT_EQ(mount("none", "/tmp", "tmpfs", MS_RDONLY, NULL), 0);
    ASSERT_NE(access("/proc/self", F_OK), 0);

    ASSERT_EQ(PAL_InitializeCoreCLR("test", TRUE), (DWORD)ERROR_SUCCESS);
    FlushProcessWriteBuffers();
    PAL_Terminate();
}

PAL_TEST(init_contract, no_proc_and_nothing_writable)
{
    struct kit_child_result result = kit_run_child(without_proc_and_writable_root, NULL);
    EXPECT_CHILD_OK(result);
}

/* The host runs without standard descriptors: their numbers stay free, and nothing is inherited. */
static void with_standard_descriptors_closed(void *arg)
{
    int *report = arg;

    for (int fd = 0; fd < 3; fd++)
        close(fd);
    DWORD error = PAL_InitializeCoreCLR("test", TRUE);
    int lowest = open("/dev/null", O_RDONLY);
    int inherited = 0;
    for (int fd = 3; fd < 64; fd++) {
        int flags = fcntl(fd, F_GETFD);
        inherited += flags >= 0 && !(flags & FD_CLOEXEC) && fd != report[1];
    }
    int facts[] = {(int)error, lowest, inherited};
    if (write(report[1], facts, sizeof facts) != sizeof facts)
        abort();
    PAL_Terminate();
}

PAL_TEST(init_contract, standard_descriptors_closed)
{
    int report[2];
    int facts[3] = {-1, -1, -1};

    ASSERT_EQ(pipe(report), 0);
    /* Whatever the test runner left open must not be counted against us. */
    for (int fd = 3; fd < 64; fd++)
        if (fcntl(fd, F_GETFD) >= 0)
            fcntl(fd, F_SETFD, FD_CLOEXEC);
    struct kit_child_result result = kit_run_child(with_standard_descriptors_closed, report);
    EXPECT_CHILD_OK(result);
    EXPECT_EQ(read(report[0], facts, sizeof facts), (ssize_t)sizeof facts);
    EXPECT_EQ(facts[0], ERROR_SUCCESS);
    EXPECT_EQ(facts[1], 0);
    EXPECT_EQ(facts[2], 0);
}

static void with_few_descriptors(void *unused)
{
    (void)unused;
    ASSERT_EQ(kit_limit(RLIMIT_NOFILE, 3), 0);
    EXPECT_EQ(PAL_Initialize(0, NULL), -1);
    EXPECT_EQ(GetLastError(), (DWORD)ERROR_PALINIT_SYNC_MANAGER);
    EXPECT_EQ(PAL_InitializeDLL(), 0);
}

PAL_TEST(init_contract, no_descriptors_left)
{
    struct kit_child_result result = kit_run_child(with_few_descriptors, NULL);
    EXPECT_CHILD_OK(result);
}

struct clone_denied {
    int error;
    DWORD expected;
};

static void with_clone3_denied(void *arg)
{
    const struct clone_denied *denied = arg;
    PAL_INIT_PHASE phases[MOST_PHASES];

#ifdef SYS_clone3
    SKIP_UNLESS(kit_deny_syscall(SYS_clone3, denied->error) == 0, "no seccomp here");
#endif
    EXPECT_EQ(PAL_InitializeCoreCLR("test", TRUE), denied->expected);
    if (denied->expected == ERROR_SUCCESS)
        return;
    DWORD count = PAL_GetInitTrace(phases, MOST_PHASES);
    EXPECT_EQ(phases[count - 1].error_number, denied->error);
    EXPECT_STRHAS(phases[count - 1].hint, "container profile");
}

PAL_TEST(init_contract, clone3_denied)
{
    struct clone_denied enosys = {ENOSYS, ERROR_SUCCESS};
    struct clone_denied eperm = {EPERM, ERROR_PALINIT_WORKER};
    struct kit_child_result result = kit_run_child(with_clone3_denied, &enosys);

    EXPECT_CHILD_OK(result);
#ifdef __GLIBC__ /* musl does not use clone3 */
    SKIP_UNLESS(!KIT_TSAN, "ThreadSanitizer needs a thread of its own and has none then");
    result = kit_run_child(with_clone3_denied, &eperm);
    EXPECT_CHILD_OK(result);
#else
    (void)eperm;
#endif
}

static void with_one_task_allowed(void *arg)
{
    PAL_INIT_PHASE phases[MOST_PHASES];

    ASSERT_EQ(kit_cgroup_enter(arg), 0);
    EXPECT_EQ(PAL_Initialize(0, NULL), -1);
    EXPECT_EQ(GetLastError(), (DWORD)ERROR_PALINIT_WORKER);
    DWORD count = PAL_GetInitTrace(phases, MOST_PHASES);
    EXPECT_EQ(phases[count - 1].error_number, EAGAIN);
    EXPECT_EQ(PAL_InitializeDLL(), 0);
}

PAL_TEST(init_contract, pids_limit_is_not_out_of_memory)
{
    struct kit_cgroup cgroup;

    SKIP_UNLESS(!KIT_TSAN, "ThreadSanitizer needs a thread of its own");
    SKIP_UNLESS(kit_cgroup_create(&cgroup, 1) == 0, "no pids control group to be had");
    struct kit_child_result result = kit_run_child(with_one_task_allowed, &cgroup);
    EXPECT_CHILD_OK(result);
    EXPECT_EQ(kit_cgroup_remove(&cgroup), 0);
}

static void without_privileges(void *unused)
{
    (void)unused;
    SKIP_UNLESS(kit_drop_privileges() == 0, "privileges cannot be dropped");
    ASSERT_EQ(kit_limit(RLIMIT_MEMLOCK, 0), 0);
    ASSERT_EQ(PAL_InitializeCoreCLR("test", TRUE), (DWORD)ERROR_SUCCESS);
    FlushProcessWriteBuffers();
    PAL_Terminate();
}

PAL_TEST(init_contract, plain_user_with_no_locked_memory)
{
    struct kit_child_result result = kit_run_child(without_privileges, NULL);
    EXPECT_CHILD_OK(result);
}

/* The last reference counts only once, and the process ends with the code. */
static void terminate_ex(void *unused)
{
    (void)unused;
    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    PAL_TerminateEx(42);
}

PAL_TEST(init_contract, terminate_ex_ends_the_process)
{
    struct kit_child_result result = kit_run_child(terminate_ex, NULL);
    EXPECT_EQ(result.exit_code, 42);
}

PAL_TEST(init_contract, host_signal_mask_is_kept)
{
    sigset_t before;
    sigset_t after;

    sigprocmask(SIG_SETMASK, NULL, &before);
    sigaddset(&before, SIGUSR1);
    sigprocmask(SIG_SETMASK, &before, NULL);
    ASSERT_EQ(PAL_InitializeCoreCLR("test", TRUE), (DWORD)ERROR_SUCCESS);
    sigprocmask(SIG_SETMASK, NULL, &after);
    for (int signal = 1; signal < SIGRTMIN; signal++)
        EXPECT_EQ(sigismember(&before, signal), sigismember(&after, signal));
    PAL_Terminate();
}

PAL_TEST(init_contract, version)
{
    char expected[32];

    (void)snprintf(expected, sizeof expected, "%d.%d.%d", PAL_VERSION_MAJOR, PAL_VERSION_MINOR,
                   PAL_VERSION_PATCH);
    EXPECT_STREQ(PAL_GetVersion(), expected);
    EXPECT_STREQ(PAL_VERSION_STRING, expected);
}

static uint64_t monotonic_ns(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* On the clock that the host can read too: the rows lie between its readings. */
PAL_TEST(init_contract, trace_times_are_of_the_monotonic_clock)
{
    PAL_INIT_PHASE phases[MOST_PHASES];
    uint64_t before = monotonic_ns();

    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    uint64_t after = monotonic_ns();
    DWORD count = PAL_GetInitTrace(phases, MOST_PHASES);
    ASSERT_EQ(count, 7u);
    EXPECT_GE(phases[0].begin_ns, before);
    EXPECT_LE(phases[count - 1].begin_ns + phases[count - 1].duration_ns, after);
    PAL_Terminate();
}

static void initialize_twice_and_print(void *unused)
{
    (void)unused;
    setenv("PAL_TRACE", "init", 1);
    ASSERT_EQ(PAL_InitializeDLL(), 0);
    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
}

static int count_of(const char *text, const char *part)
{
    int count = 0;

    while ((text = strstr(text, part)) != NULL) {
        count++;
        text++;
    }
    return count;
}

/* Each call prints the rows that it walked, and not those that it found. */
PAL_TEST(init_contract, trace_prints_what_the_call_walked)
{
    struct kit_child_result result = kit_run_child(initialize_twice_and_print, NULL);

    EXPECT_CHILD_OK(result);
    EXPECT_EQ(count_of(result.output, "pal: init row"), 2);
    EXPECT_EQ(count_of(result.output, "pal: flush"), 1);
    EXPECT_EQ(count_of(result.output, "pal: worker"), 1);
}

static void print_without_stderr(void *unused)
{
    (void)unused;
    (void)close(STDERR_FILENO);
    setenv("PAL_TRACE", "init", 1);
    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    PAL_Terminate();
}

/* stdout is the host's. */
PAL_TEST(init_contract, trace_is_printed_to_stderr)
{
    struct kit_child_result result = kit_run_child(print_without_stderr, NULL);

    EXPECT_CHILD_OK(result);
    EXPECT_STREQ(result.output, "");
}

/* Success leaves the last error alone, except of an initialisation. */
PAL_TEST(init_contract, success_leaves_the_last_error_alone)
{
    PAL_INIT_PHASE phase;
    PAL_FLUSH_INFO info;

    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    SetLastError(4711);
    EXPECT_TRUE(PAL_GetFlushInfo(&info));
    EXPECT_EQ(GetLastError(), 4711u);
    EXPECT_EQ(PAL_GetInitTrace(&phase, 1), 7u);
    EXPECT_EQ(GetLastError(), 4711u);
    (void)PAL_SetPanicHandler(NULL);
    EXPECT_EQ(GetLastError(), 4711u);
    PAL_Terminate();
    EXPECT_EQ(GetLastError(), 4711u);
}

static void use_the_last_error(int index, void *arg)
{
    (void)index;
    (void)arg;
    EXPECT_EQ(GetLastError(), (DWORD)ERROR_SUCCESS);
    SetLastError(4712);
}

PAL_TEST(init_contract, each_thread_has_its_own_last_error)
{
    struct kit_threads threads;

    SetLastError(4711);
    ASSERT_EQ(kit_threads_start(&threads, 1, use_the_last_error, NULL), 1);
    kit_threads_join(&threads);
    EXPECT_EQ(GetLastError(), 4711u);
}

static void look_after_terminate_ex(void)
{
    PAL_FLUSH_INFO info;
    bool chosen = PAL_GetFlushInfo(&info);

    SetLastError(ERROR_SUCCESS);
    PAL_Terminate();
    (void)dprintf(STDOUT_FILENO, "chosen %d, error %u\n", chosen, (unsigned)GetLastError());
}

static void terminate_ex_with_a_witness(void *unused)
{
    (void)unused;
    ASSERT_EQ(atexit(look_after_terminate_ex), 0);
    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    PAL_TerminateEx(42);
}

/* The handlers of exit(3) run, and find the PAL gone with every reference. */
PAL_TEST(init_contract, terminate_ex_gives_back_all_and_exits)
{
    struct kit_child_result result = kit_run_child(terminate_ex_with_a_witness, NULL);

    EXPECT_EQ(result.exit_code, 42);
    EXPECT_STRHAS(result.output, "chosen 0, error 21\n");
}

/* libc has every thread change its ids, by a signal that ours must not block. */
static void change_ids(void *unused)
{
    (void)unused;
    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    EXPECT_EQ(setgid(getgid()), 0);
    PAL_Terminate();
}

PAL_TEST(init_contract, host_can_change_its_ids)
{
    struct kit_child_result result = kit_run_child(change_ids, NULL);
    EXPECT_CHILD_OK(result);
}

/* After the last PAL_Terminate nothing is chosen any more. */
PAL_TEST(init_contract, flush_info_is_not_ready_after_terminate)
{
    PAL_FLUSH_INFO info;

    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    EXPECT_TRUE(PAL_GetFlushInfo(&info));
    PAL_Terminate();
    EXPECT_FALSE(PAL_GetFlushInfo(&info));
    EXPECT_EQ(GetLastError(), (DWORD)ERROR_NOT_READY);
}
