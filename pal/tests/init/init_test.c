/* SPDX-License-Identifier: MIT */
/* Walking the init table: each row fails once, gives its code, leaks nothing, and works after. */
#include "init/init.h"

#include <errno.h>
#include <pal.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "init/state.h"
#include "init/table.h"
#include "kit/child.h"
#include "kit/fault.h"
#include "kit/latch.h"
#include "kit/process.h"
#include "kit/resources.h"
#include "kit/test.h"

struct failure {
    enum os_call call;
    int error;
    enum init_row_id row;
    const char *environment; /* for PAL_FLUSH, or NULL */
};

static const struct failure failures[] = {
    {OS_CALL_PAGE_SIZE, EINVAL, INIT_SYSTEM, NULL},
    {OS_CALL_CLOCK, ENOSYS, INIT_SYSTEM, NULL},
    {OS_CALL_AT_FORK, ENOMEM, INIT_FORK_HANDLERS, NULL},
    {OS_CALL_THREAD_KEY, EAGAIN, INIT_CURRENT_THREAD, NULL},
    {OS_CALL_MEMBARRIER_QUERY, EPERM, INIT_FLUSH, "membarrier"},
    {OS_CALL_MMAP, ENOMEM, INIT_FLUSH, "mprotect"},
    {OS_CALL_MEMBARRIER_QUERY, ENOSYS, INIT_FLUSH, "global"},
    {OS_CALL_EVENTFD, EMFILE, INIT_SYNC_MANAGER, NULL},
    {OS_CALL_THREAD_START, EAGAIN, INIT_WORKER, NULL},
    {OS_CALL_THREAD_START, EPERM, INIT_WORKER, NULL},
    {OS_CALL_THREAD_START, ENOMEM, INIT_WORKER, NULL},
};

/* Everything else that a failed row has to tell. */
static void expect_last_phase(const struct failure *failure)
{
    PAL_INIT_PHASE phases[INIT_ROW_COUNT];
    DWORD count = PAL_GetInitTrace(phases, INIT_ROW_COUNT);

    ASSERT_GT(count, 0u);
    ASSERT_LE(count, (DWORD)INIT_ROW_COUNT);
    const PAL_INIT_PHASE *last = &phases[count - 1];
    EXPECT_STREQ(last->name, init_table[failure->row].name);
    EXPECT_EQ(last->result, init_table[failure->row].error);
    EXPECT_EQ(last->error_number, failure->error);
    EXPECT_TRUE(last->hint != NULL);
    bool about_memory = last->hint && strstr(last->hint, "free some memory") != NULL;
    EXPECT_EQ(about_memory, failure->error == ENOMEM);
}

static void fail_once(const struct failure *failure)
{
    struct kit_resources before = kit_resources_now();

    kit_fault(failure->call, 0, 1, failure->error);
    EXPECT_EQ(PAL_InitializeCoreCLR("test", TRUE), init_table[failure->row].error);
    EXPECT_EQ(GetLastError(), init_table[failure->row].error);
    expect_last_phase(failure);
    EXPECT_RESOURCES_EQ(before, kit_resources_after(&before));

    /* Nothing was half initialised: there is no reference to give back. */
    PAL_Terminate();
    EXPECT_EQ(GetLastError(), (DWORD)ERROR_NOT_READY);
}

static void initialize_and_terminate(void)
{
    EXPECT_EQ(PAL_InitializeCoreCLR("test", TRUE), (DWORD)ERROR_SUCCESS);
    FlushProcessWriteBuffers();
    PAL_Terminate();
}

/* In a process that the PAL never was in, and in one that it has left. */
static void fail_and_work_twice(void *arg)
{
    const struct failure *failure = arg;

    if (failure->environment)
        setenv("PAL_FLUSH", failure->environment, 1);
    init_state.fork_handlers = false; /* as if they could not be installed at load */
    fail_once(failure);
    initialize_and_terminate(); /* from here on libc keeps a stack for the worker */

    struct kit_resources before = kit_resources_now();
    init_state.fork_handlers = false;
    fail_once(failure);
    initialize_and_terminate();
    EXPECT_RESOURCES_EQ(before, kit_resources_after(&before));
}

PAL_TEST(init, each_row_fails_once)
{
    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++) {
        struct kit_child_result result = kit_run_child(fail_and_work_twice, (void *)&failures[i]);
        EXPECT_CHILD_OK(result);
    }
}

PAL_TEST(init, registration_fails_once)
{
    struct failure failure = {OS_CALL_MEMBARRIER_REGISTER, EINVAL, INIT_FLUSH, "membarrier"};

    SKIP_UNLESS(!KIT_TSAN, "ThreadSanitizer's own thread is alive: no registration");
    struct kit_child_result result = kit_run_child(fail_and_work_twice, &failure);
    EXPECT_CHILD_OK(result);
}

/* The environment row has no call that could fail. */
PAL_TEST(init, bad_environment_then_a_good_one)
{
    setenv("PAL_FLUSH", "fastest", 1);
    EXPECT_EQ(PAL_InitializeCoreCLR("test", TRUE), (DWORD)ERROR_PALINIT_ENV);
    struct failure failure = {.error = EINVAL, .row = INIT_ENVIRONMENT};
    expect_last_phase(&failure);
    unsetenv("PAL_FLUSH");
    EXPECT_EQ(PAL_InitializeCoreCLR("test", TRUE), (DWORD)ERROR_SUCCESS);
    PAL_Terminate();
}

PAL_TEST(init, mlock_denied_is_no_failure_and_told)
{
    PAL_FLUSH_INFO info;

    setenv("PAL_FLUSH", "mprotect", 1);
    kit_fault(OS_CALL_MLOCK, 0, KIT_FOREVER, EPERM);
    ASSERT_EQ(PAL_InitializeDLL(), 0);
    ASSERT_TRUE(PAL_GetFlushInfo(&info));
    EXPECT_EQ((int)info.method, (int)PAL_FLUSH_METHOD_MPROTECT);
    EXPECT_FALSE(info.locked);
    FlushProcessWriteBuffers();
    PAL_Terminate();

    kit_fault_clear();
    ASSERT_EQ(PAL_InitializeDLL(), 0);
    ASSERT_TRUE(PAL_GetFlushInfo(&info));
    EXPECT_TRUE(info.locked);
    PAL_Terminate();
}

PAL_TEST(init, membarrier_leaves_mlock_alone)
{
    kit_fault_clear();
    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    SKIP_UNLESS(kit_fault_calls(OS_CALL_MEMBARRIER_REGISTER) == 1, "membarrier is not to be had");
    EXPECT_EQ(kit_fault_calls(OS_CALL_MLOCK), 0);
    EXPECT_EQ(kit_fault_calls(OS_CALL_MMAP), 0);
    PAL_Terminate();
}

/* The probe is made once a process, not once a flush. */
PAL_TEST(init, membarrier_is_probed_once)
{
    kit_fault(OS_CALL_MEMBARRIER_QUERY, 0, KIT_FOREVER, EPERM);
    SKIP_UNLESS(PAL_InitializeDLL() == 0, "no fallback on this machine");
    for (int i = 0; i < 100; i++)
        FlushProcessWriteBuffers();
    EXPECT_EQ(kit_fault_calls(OS_CALL_MEMBARRIER_QUERY), 1);
    EXPECT_EQ(kit_fault_calls(OS_CALL_MEMBARRIER_REGISTER), 0);
    EXPECT_EQ(kit_fault_calls(OS_CALL_MEMBARRIER_PRIVATE), 0);
    PAL_Terminate();
}

PAL_TEST(init, second_init_adds_the_worker)
{
    PAL_INIT_PHASE phases[INIT_ROW_COUNT];

    kit_fault_clear();
    ASSERT_EQ(PAL_InitializeDLL(), 0);
    EXPECT_EQ(kit_fault_calls(OS_CALL_THREAD_START), 0);
    EXPECT_EQ(PAL_GetInitTrace(NULL, 0), 5u);

    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    EXPECT_EQ(kit_fault_calls(OS_CALL_THREAD_START), 1);
    EXPECT_EQ(kit_fault_calls(OS_CALL_MEMBARRIER_QUERY), 1);
    ASSERT_EQ(PAL_GetInitTrace(phases, INIT_ROW_COUNT), 7u);
    EXPECT_STREQ(phases[4].name, "flush");
    EXPECT_STREQ(phases[6].name, "worker");

    PAL_Terminate();
    PAL_Terminate();
    EXPECT_EQ(GetLastError(), (DWORD)ERROR_SUCCESS);
}

PAL_TEST(init, second_init_fails_alone)
{
    PAL_INIT_PHASE phases[INIT_ROW_COUNT];

    ASSERT_EQ(PAL_InitializeDLL(), 0);
    for (int i = 0; i < 20; i++) {
        kit_fault(OS_CALL_THREAD_START, 0, 1, EAGAIN);
        EXPECT_EQ(PAL_Initialize(0, NULL), -1);
        EXPECT_EQ(GetLastError(), (DWORD)ERROR_PALINIT_WORKER);
        ASSERT_EQ(PAL_GetInitTrace(phases, INIT_ROW_COUNT), 7u);
        EXPECT_EQ(phases[6].result, (DWORD)ERROR_PALINIT_WORKER);
    }
    FlushProcessWriteBuffers();
    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    PAL_Terminate();
    PAL_Terminate();
    EXPECT_EQ(GetLastError(), (DWORD)ERROR_SUCCESS);
    PAL_Terminate();
    EXPECT_EQ(GetLastError(), (DWORD)ERROR_NOT_READY);
}

struct race {
    struct kit_latch start;
    DWORD results[8];
};

static void race_to_initialize(int index, void *arg)
{
    struct race *race = arg;

    kit_latch_arrive_and_wait(&race->start);
    race->results[index] = PAL_InitializeCoreCLR("test", TRUE);
}

static void run_race(struct race *race)
{
    struct kit_threads threads;

    kit_latch_init(&race->start, 8);
    ASSERT_EQ(kit_threads_start(&threads, 8, race_to_initialize, race), 8);
    kit_threads_join(&threads);
}

PAL_TEST(init, eight_first_calls_at_once)
{
    for (int round = 0; round < 50; round++) {
        struct race race;
        kit_fault_clear();
        run_race(&race);
        for (int i = 0; i < 8; i++)
            EXPECT_EQ(race.results[i], (DWORD)ERROR_SUCCESS);
        EXPECT_EQ(kit_fault_calls(OS_CALL_EVENTFD), 1);
        EXPECT_EQ(kit_fault_calls(OS_CALL_THREAD_START), 1);
        for (int i = 0; i < 8; i++)
            PAL_Terminate();
    }
}

/* A failure is everybody's who was waiting for it, and nobody is left half initialised. */
PAL_TEST(init, eight_first_calls_that_fail)
{
    for (int round = 0; round < 50; round++) {
        struct race race;
        kit_fault(OS_CALL_THREAD_START, 0, KIT_FOREVER, EAGAIN);
        run_race(&race);
        for (int i = 0; i < 8; i++)
            EXPECT_EQ(race.results[i], (DWORD)ERROR_PALINIT_WORKER);
        PAL_Terminate();
        EXPECT_EQ(GetLastError(), (DWORD)ERROR_NOT_READY);
    }
    kit_fault_clear();
    EXPECT_EQ(PAL_InitializeCoreCLR("test", TRUE), (DWORD)ERROR_SUCCESS);
    PAL_Terminate();
}

PAL_TEST(init, hundred_rounds_leave_nothing)
{
    initialize_and_terminate();
    struct kit_resources before = kit_resources_now();

    for (int i = 0; i < 100; i++)
        initialize_and_terminate();
    EXPECT_RESOURCES_EQ(before, kit_resources_after(&before));
}

/* A caller of the PAL that can be seen to wait for the init lock. */
struct waiting_caller {
    struct kit_threads thread;
    _Atomic pid_t tid;
    DWORD flags;
    DWORD result;
};

static void call_and_wait(int index, void *arg)
{
    struct waiting_caller *caller = arg;

    (void)index;
    atomic_store(&caller->tid, (pid_t)syscall(SYS_gettid));
    caller->result =
        PAL_InitializeWithFlags(0, NULL, caller->flags) == 0 ? ERROR_SUCCESS : GetLastError();
}

/* With the init lock held: returns when the caller has come to it. */
static void start_caller(struct waiting_caller *caller, DWORD flags)
{
    atomic_init(&caller->tid, 0);
    caller->flags = flags;
    ASSERT_EQ(kit_threads_start(&caller->thread, 1, call_and_wait, caller), 1);
    while (atomic_load(&caller->tid) == 0 || !kit_is_asleep(atomic_load(&caller->tid)))
        sched_yield();
}

/* Two wait while the lock is held; then the first to get it fails, and only once. */
static void fail_in_front_of_another(struct waiting_caller callers[2], DWORD first, DWORD second)
{
    kit_fault(OS_CALL_THREAD_START, 0, 1, EAGAIN);
    pthread_mutex_lock(&init_state.lock);
    start_caller(&callers[0], first);
    start_caller(&callers[1], second);
    pthread_mutex_unlock(&init_state.lock);
    kit_threads_join(&callers[0].thread);
    kit_threads_join(&callers[1].thread);
}

/* Whoever waited while the attempt failed has its answer, and makes none of its own. */
PAL_TEST(init, failure_is_shared_by_those_who_waited)
{
    static struct waiting_caller callers[2];

    fail_in_front_of_another(callers, PAL_INITIALIZE, PAL_INITIALIZE);
    EXPECT_EQ(callers[0].result, (DWORD)ERROR_PALINIT_WORKER);
    EXPECT_EQ(callers[1].result, (DWORD)ERROR_PALINIT_WORKER);
    EXPECT_EQ(kit_fault_calls(OS_CALL_THREAD_START), 1);

    /* Who comes later tries again. */
    EXPECT_EQ(PAL_Initialize(0, NULL), 0);
    PAL_Terminate();
    EXPECT_EQ(GetLastError(), (DWORD)ERROR_SUCCESS);
}

/* The failure of a row that one did not ask for is not one's own. */
PAL_TEST(init, failure_is_not_shared_by_those_who_asked_for_less)
{
    static struct waiting_caller callers[2];

    fail_in_front_of_another(callers, PAL_INITIALIZE, PAL_INITIALIZE_DLL);
    EXPECT_EQ(callers[0].result, (DWORD)ERROR_PALINIT_WORKER);
    EXPECT_EQ(callers[1].result, (DWORD)ERROR_SUCCESS);
    PAL_Terminate();
}

/* A call that finds everything up asks the system nothing. */
PAL_TEST(init, second_init_costs_no_call)
{
    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    kit_fault_clear();
    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    ASSERT_EQ(PAL_InitializeDLL(), 0);
    for (int call = 0; call < OS_CALL_COUNT; call++)
        EXPECT_EQ(kit_fault_calls((enum os_call)call), 0);
    for (int i = 0; i < 3; i++)
        PAL_Terminate();
}

/* The line that a trace has on a row, up to its end; "" when there is none. */
static const char *line_of(const char *output, const char *row, char line[128])
{
    const char *begin = strstr(output, row);

    *line = '\0';
    if (begin)
        (void)snprintf(line, 128, "%.*s", (int)strcspn(begin, "\n"), begin);
    return line;
}

static void print_a_failure(void *unused)
{
    (void)unused;
    setenv("PAL_TRACE", "init", 1);
    kit_fault(OS_CALL_THREAD_START, 0, 1, EAGAIN);
    EXPECT_EQ(PAL_Initialize(0, NULL), -1);
}

/* It is a failure that one wants to see the trace of. */
PAL_TEST(init, trace_of_a_failure_is_printed)
{
    struct kit_child_result result = kit_run_child(print_a_failure, NULL);
    char line[128];

    EXPECT_CHILD_OK(result);
    EXPECT_STRHAS(line_of(result.output, "pal: sync manager", line), "       0");
    EXPECT_STRHAS(line_of(result.output, "pal: worker", line), "   65411");
}

static void print_the_wrong_order(void *unused)
{
    (void)unused;
    setenv("PAL_TRACE", "init", 1);
    ASSERT_EQ(
        PAL_InitializeWithFlags(0, NULL, PAL_INITIALIZE_SYNC_THREAD | PAL_INITIALIZE_WORKER_FIRST),
        0);
    PAL_Terminate();
}

PAL_TEST(init, printed_trace_tells_of_threads)
{
    struct kit_child_result result = kit_run_child(print_the_wrong_order, NULL);
    char line[128];

    EXPECT_CHILD_OK(result);
    if (!KIT_TSAN) /* which has a thread of its own */
        EXPECT_STRHAS(line_of(result.output, "pal: worker", line), " no ");
    EXPECT_STRHAS(line_of(result.output, "pal: flush", line), " yes ");
}

/* libc keeps every handler for good: a second set would lock the locks twice. */
PAL_TEST(init, fork_handlers_are_installed_once)
{
    kit_fault_clear();
    for (int i = 0; i < 3; i++)
        initialize_and_terminate();
    EXPECT_EQ(kit_fault_calls(OS_CALL_AT_FORK), 0);
}

/* A first initialisation, as far as holding the lock, while another thread forks. */
static struct {
    struct kit_latch locked;
    _Atomic pid_t forker; /* 0 until it is about to fork */
} first_init;

static void hold_the_init_lock(int index, void *arg)
{
    (void)index;
    (void)arg;
    pthread_mutex_lock(&init_state.lock);
    kit_latch_arrive(&first_init.locked);
    /* Until the other has forked and waits for the child, or waits for the lock. */
    while (atomic_load(&first_init.forker) == 0 || !kit_is_asleep(atomic_load(&first_init.forker)))
        sched_yield();
    pthread_mutex_unlock(&init_state.lock);
}

static void initialize_in_child(void *unused)
{
    (void)unused;
    EXPECT_EQ(PAL_InitializeDLL(), 0);
    PAL_Terminate();
}

/* Forking in the middle of the first initialisation of all: the child finds the lock free. */
PAL_TEST(init, fork_during_the_first_initialisation)
{
    SKIP_UNLESS(!KIT_TSAN, "ThreadSanitizer takes the parent's threads for the child's leak");
    struct kit_threads thread;

    kit_latch_init(&first_init.locked, 1);
    ASSERT_EQ(kit_threads_start(&thread, 1, hold_the_init_lock, NULL), 1);
    kit_latch_wait(&first_init.locked);
    atomic_store(&first_init.forker, (pid_t)syscall(SYS_gettid));
    struct kit_child_result result = kit_run_child(initialize_in_child, NULL);
    EXPECT_CHILD_OK(result);
    kit_threads_join(&thread);
}
