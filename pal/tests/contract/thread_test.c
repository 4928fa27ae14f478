/* SPDX-License-Identifier: MIT */
/* Threads: creating, suspending, ending them, and their ids. */
#include <pal.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "contract/threads.h"
#include "kit/child.h"
#include "kit/test.h"

static const DWORD codes[] = {0, 1, STILL_ACTIVE, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF};
enum { CODES = sizeof codes / sizeof codes[0] };

PAL_TEST(thread_contract, returns_each_exit_code)
{
    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    for (int i = 0; i < CODES; i++) {
        EXPECT_EQ(thread_finish(thread_start(thread_returns, (LPVOID)(uintptr_t)codes[i])),
                  codes[i]);
        EXPECT_EQ(thread_finish(thread_start(thread_exits, (LPVOID)(uintptr_t)codes[i])), codes[i]);
    }
    PAL_Terminate();
}

static pthread_key_t key;

static void count(void *counter)
{
    ++*(int *)counter;
}

static __attribute__((noinline)) void exit_from_the_depth(int depth, volatile char *above)
{
    volatile char frame[256];

    frame[0] = *above;
    if (depth == 0)
        ExitThread(0x1234);
    if (depth > 0)
        exit_from_the_depth(depth - 1, frame);
    *above = frame[0];
}

static DWORD PALAPI exit_with_a_destructor(LPVOID counter)
{
    EXPECT_EQ(pthread_setspecific(key, counter), 0);
    volatile char top = 0;
    exit_from_the_depth(20, &top);
    return 0;
}

PAL_TEST(thread_contract, exit_thread_runs_destructors)
{
    int destroyed = 0;

    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    ASSERT_EQ(pthread_key_create(&key, count), 0);
    EXPECT_EQ(thread_finish(thread_start(exit_with_a_destructor, &destroyed)), 0x1234u);
    EXPECT_EQ(destroyed, 1);
    (void)pthread_key_delete(key);
    PAL_Terminate();
}

static DWORD PALAPI end_behind_our_back(LPVOID unused)
{
    (void)unused;
    pthread_exit(NULL);
}

PAL_TEST(thread_contract, pthread_exit_is_an_end_with_0)
{
    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    EXPECT_EQ(thread_finish(thread_start(end_behind_our_back, NULL)), 0u);
    PAL_Terminate();
}

static DWORD PALAPI look_at_own_exit_code(LPVOID unused)
{
    DWORD code = 0;

    (void)unused;
    EXPECT_TRUE(GetExitCodeThread(GetCurrentThread(), &code));
    return code;
}

PAL_TEST(thread_contract, exit_code_of_the_living)
{
    struct held held;
    DWORD code = 4711;

    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    ASSERT_TRUE(held_start(&held));
    SetLastError(4711);
    EXPECT_TRUE(GetExitCodeThread(held.handle, &code));
    EXPECT_EQ(GetLastError(), 4711u);
    EXPECT_EQ(code, (DWORD)STILL_ACTIVE);
    held_finish(&held);
    EXPECT_EQ(thread_finish(thread_start(look_at_own_exit_code, NULL)), (DWORD)STILL_ACTIVE);
    PAL_Terminate();
}

PAL_TEST(thread_contract, exit_code_errors)
{
    struct held held;
    DWORD code = 4711;

    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    ASSERT_TRUE(held_start(&held));
    EXPECT_FALSE(GetExitCodeThread(held.handle, NULL));
    EXPECT_EQ(GetLastError(), (DWORD)ERROR_INVALID_PARAMETER);
    SetLastError(ERROR_SUCCESS);
    EXPECT_FALSE(GetExitCodeThread(NULL, &code));
    EXPECT_EQ(GetLastError(), (DWORD)ERROR_INVALID_HANDLE);
    SetLastError(ERROR_SUCCESS);
    EXPECT_FALSE(GetExitCodeThread(GetCurrentProcess(), &code));
    EXPECT_EQ(GetLastError(), (DWORD)ERROR_INVALID_HANDLE);
    EXPECT_EQ(code, 4711u);
    held_finish(&held);
    PAL_Terminate();
}

PAL_TEST(thread_contract, create_errors)
{
    SetLastError(ERROR_SUCCESS);
    EXPECT_EQ(CreateThread(NULL, 0, thread_returns, NULL, 0, NULL), NULL);
    EXPECT_EQ(GetLastError(), (DWORD)ERROR_NOT_READY);
    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    EXPECT_EQ(CreateThread(NULL, 0, NULL, NULL, 0, NULL), NULL);
    EXPECT_EQ(GetLastError(), (DWORD)ERROR_INVALID_PARAMETER);
    for (int bit = 0; bit < 32; bit++) {
        const DWORD flag = 1u << bit;
        if (flag & (CREATE_SUSPENDED | STACK_SIZE_PARAM_IS_A_RESERVATION))
            continue;
        SetLastError(ERROR_SUCCESS);
        EXPECT_EQ(CreateThread(NULL, 0, thread_returns, NULL, flag, NULL), NULL);
        EXPECT_EQ(GetLastError(), (DWORD)ERROR_INVALID_PARAMETER);
    }
    PAL_Terminate();
    EXPECT_EQ(CreateThread(NULL, 0, thread_returns, NULL, 0, NULL), NULL);
    EXPECT_EQ(GetLastError(), (DWORD)ERROR_NOT_READY);
}

PAL_TEST(thread_contract, attributes_and_reservation_change_nothing)
{
    SECURITY_ATTRIBUTES attributes = {.nLength = sizeof attributes};

    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    SetLastError(4711);
    HANDLE thread = CreateThread(&attributes, 256 * 1024, thread_returns, (LPVOID)5,
                                 STACK_SIZE_PARAM_IS_A_RESERVATION, NULL);
    ASSERT_NE(thread, NULL);
    EXPECT_EQ(GetLastError(), 4711u);
    EXPECT_EQ(thread_finish(thread), 5u);
    PAL_Terminate();
}

struct ids {
    DWORD current;
    DWORD through_handle;
    DWORD kernel;
};

static DWORD PALAPI tell_ids(LPVOID parameter)
{
    *(struct ids *)parameter = (struct ids){
        .current = GetCurrentThreadId(),
        .through_handle = GetThreadId(GetCurrentThread()),
        .kernel = (DWORD)syscall(SYS_gettid),
    };
    return 0;
}

static void expect_ids(const struct ids *ids, DWORD id)
{
    EXPECT_NE(id, 0u);
    EXPECT_EQ(ids->kernel, id);
    EXPECT_EQ(ids->current, id);
    EXPECT_EQ(ids->through_handle, id);
}

static bool is_a_task(DWORD id)
{
    char path[64];

    (void)snprintf(path, sizeof path, "/proc/self/task/%u", (unsigned)id);
    return access(path, F_OK) == 0;
}

/* Many, since a thread that is still to be met on its way is met by chance. */
PAL_TEST(thread_contract, ids_before_the_thread_has_run)
{
    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    for (int i = 0; i < 100; i++) {
        struct ids ids = {0};
        DWORD at_creation = 0;
        HANDLE with = CreateThread(NULL, 0, tell_ids, &ids, 0, &at_creation);
        ASSERT_NE(with, NULL);
        EXPECT_EQ(GetThreadId(with), at_creation);
        thread_finish(with);
        expect_ids(&ids, at_creation);

        HANDLE without = CreateThread(NULL, 0, tell_ids, &ids, 0, NULL);
        ASSERT_NE(without, NULL);
        const DWORD id = GetThreadId(without);
        EXPECT_EQ(WaitForSingleObject(without, INFINITE), (DWORD)WAIT_OBJECT_0);
        expect_ids(&ids, id);
        EXPECT_EQ(GetThreadId(without), id); /* after its end as well */
        CloseHandle(without);
    }
    PAL_Terminate();
}

PAL_TEST(thread_contract, ids_while_suspended)
{
    struct ids ids = {0};
    DWORD id = 0;

    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    HANDLE thread = CreateThread(NULL, 0, tell_ids, &ids, CREATE_SUSPENDED, &id);
    ASSERT_NE(thread, NULL);
    EXPECT_TRUE(is_a_task(id));
    EXPECT_NE(id, (DWORD)syscall(SYS_gettid));
    EXPECT_EQ(GetThreadId(thread), id);
    EXPECT_EQ(ids.kernel, 0u);
    EXPECT_EQ(ResumeThread(thread), 1u);
    thread_finish(thread);
    expect_ids(&ids, id);

    thread = CreateThread(NULL, 0, tell_ids, &ids, CREATE_SUSPENDED, NULL);
    ASSERT_NE(thread, NULL);
    id = GetThreadId(thread);
    EXPECT_TRUE(is_a_task(id));
    EXPECT_EQ(ResumeThread(thread), 1u);
    thread_finish(thread);
    expect_ids(&ids, id);
    PAL_Terminate();
}

PAL_TEST(thread_contract, own_id_before_initialisation)
{
    EXPECT_EQ(GetCurrentThreadId(), (DWORD)syscall(SYS_gettid));
    EXPECT_EQ(GetThreadId(GetCurrentThread()), (DWORD)syscall(SYS_gettid));
    EXPECT_EQ(GetThreadId(NULL), 0u);
    EXPECT_EQ(GetLastError(), (DWORD)ERROR_INVALID_HANDLE);
}

struct step {
    struct kit_latch release;
    atomic_int reached;
};

static DWORD PALAPI take_a_step(LPVOID parameter)
{
    struct step *step = parameter;

    atomic_store(&step->reached, 1);
    kit_latch_wait(&step->release);
    return 0;
}

/* It sleeps at one of two places; at which, its step tells. */
PAL_TEST(thread_contract, suspended_until_resumed)
{
    struct step step = {.reached = 0};
    DWORD id = 0;

    kit_latch_init(&step.release, 1);
    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    HANDLE thread = CreateThread(NULL, 0, take_a_step, &step, CREATE_SUSPENDED, &id);
    ASSERT_NE(thread, NULL);
    wait_until_asleep(id);
    EXPECT_EQ(atomic_load(&step.reached), 0);
    EXPECT_EQ(WaitForSingleObject(thread, 0), (DWORD)WAIT_TIMEOUT);
    EXPECT_EQ(ResumeThread(thread), 1u);
    kit_latch_arrive(&step.release);
    thread_finish(thread);
    EXPECT_EQ(atomic_load(&step.reached), 1);
    PAL_Terminate();
}

PAL_TEST(thread_contract, resume_twice_is_an_error)
{
    struct held held;

    held_init(&held);
    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    held.handle = CreateThread(NULL, 0, held_body, &held, CREATE_SUSPENDED, NULL);
    ASSERT_NE(held.handle, NULL);
    SetLastError(4711);
    EXPECT_EQ(ResumeThread(held.handle), 1u);
    EXPECT_EQ(GetLastError(), 4711u);
    EXPECT_EQ(ResumeThread(held.handle), (DWORD)-1);
    EXPECT_EQ(GetLastError(), (DWORD)ERROR_BAD_COMMAND);
    held_finish(&held);
    PAL_Terminate();
}

PAL_TEST(thread_contract, resume_of_others_is_an_error)
{
    struct held held;

    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    ASSERT_TRUE(held_start(&held));
    EXPECT_EQ(ResumeThread(held.handle), (DWORD)-1); /* never suspended */
    EXPECT_EQ(GetLastError(), (DWORD)ERROR_BAD_COMMAND);
    SetLastError(ERROR_SUCCESS);
    EXPECT_EQ(ResumeThread(GetCurrentThread()), (DWORD)-1); /* nor was this foreign one */
    EXPECT_EQ(GetLastError(), (DWORD)ERROR_BAD_COMMAND);

    kit_latch_arrive(&held.release);
    EXPECT_EQ(WaitForSingleObject(held.handle, INFINITE), (DWORD)WAIT_OBJECT_0);
    EXPECT_EQ(ResumeThread(held.handle), (DWORD)-1); /* ended */
    EXPECT_EQ(GetLastError(), (DWORD)ERROR_INVALID_HANDLE);
    EXPECT_TRUE(CloseHandle(held.handle));
    SetLastError(ERROR_SUCCESS);
    EXPECT_EQ(ResumeThread(held.handle), (DWORD)-1); /* closed */
    EXPECT_EQ(GetLastError(), (DWORD)ERROR_INVALID_HANDLE);
    PAL_Terminate();
}

struct resumers {
    struct kit_latch start;
    HANDLE thread;
    atomic_int resumed;
};

static void resume(int index, void *arg)
{
    struct resumers *resumers = arg;

    (void)index;
    kit_latch_arrive_and_wait(&resumers->start);
    if (ResumeThread(resumers->thread) == 1)
        atomic_fetch_add(&resumers->resumed, 1);
    else
        EXPECT_EQ(GetLastError(), (DWORD)ERROR_BAD_COMMAND);
}

PAL_TEST(thread_contract, of_concurrent_resumers_one_succeeds)
{
    struct kit_threads threads;

    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    for (int i = 0; i < 100; i++) {
        struct held held;
        struct resumers resumers = {.resumed = 0};
        held_init(&held);
        kit_latch_init(&resumers.start, 4);
        held.handle = CreateThread(NULL, 0, held_body, &held, CREATE_SUSPENDED, NULL);
        ASSERT_NE(held.handle, NULL);
        resumers.thread = held.handle;
        ASSERT_EQ(kit_threads_start(&threads, 4, resume, &resumers), 4);
        kit_threads_join(&threads);
        EXPECT_EQ(atomic_load(&resumers.resumed), 1);
        held_finish(&held);
    }
    PAL_Terminate();
}

PAL_TEST(thread_contract, suspended_without_a_handle_is_reached_by_its_id)
{
    struct step step = {.reached = 0};
    DWORD id = 0;

    kit_latch_init(&step.release, 0);
    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    HANDLE thread = CreateThread(NULL, 0, take_a_step, &step, CREATE_SUSPENDED, &id);
    ASSERT_NE(thread, NULL);
    EXPECT_TRUE(CloseHandle(thread));
    wait_until_asleep(id);
    EXPECT_EQ(atomic_load(&step.reached), 0);
    HANDLE opened = OpenThread(THREAD_SUSPEND_RESUME, FALSE, id);
    ASSERT_NE(opened, NULL);
    EXPECT_EQ(GetThreadId(opened), id);
    EXPECT_EQ(ResumeThread(opened), 1u);
    thread_finish(opened);
    EXPECT_EQ(atomic_load(&step.reached), 1);
    PAL_Terminate();
}

struct unwatched {
    struct kit_latch closed;
    struct kit_latch ended;
};

static DWORD PALAPI go_on_unwatched(LPVOID parameter)
{
    struct unwatched *unwatched = parameter;

    kit_latch_wait(&unwatched->closed);
    EXPECT_EQ(SetThreadDescription(GetCurrentThread(), u"unwatched"), S_OK);
    kit_latch_arrive(&unwatched->ended);
    return 0;
}

PAL_TEST(thread_contract, goes_on_when_its_handle_is_closed)
{
    struct unwatched unwatched;
    DWORD id = 0;

    kit_latch_init(&unwatched.closed, 1);
    kit_latch_init(&unwatched.ended, 1);
    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    HANDLE thread = CreateThread(NULL, 0, go_on_unwatched, &unwatched, 0, &id);
    ASSERT_NE(thread, NULL);
    EXPECT_TRUE(CloseHandle(thread));
    HANDLE again = OpenThread(SYNCHRONIZE, FALSE, id);
    ASSERT_NE(again, NULL);
    kit_latch_arrive(&unwatched.closed);
    kit_latch_wait(&unwatched.ended);
    EXPECT_EQ(thread_finish(again), 0u);
    PAL_Terminate();
}

static DWORD PALAPI open_main(LPVOID unused)
{
    HANDLE opened = OpenThread(THREAD_ALL_ACCESS, TRUE, (DWORD)getpid());

    (void)unused;
    if (!opened)
        return GetLastError();
    EXPECT_EQ(GetThreadId(opened), (DWORD)getpid());
    EXPECT_TRUE(CloseHandle(opened));
    return ERROR_SUCCESS;
}

PAL_TEST(thread_contract, open_thread)
{
    struct held held;

    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    ASSERT_TRUE(held_start(&held));
    SetLastError(4711);
    HANDLE opened = OpenThread(THREAD_QUERY_INFORMATION, FALSE, held.id);
    ASSERT_NE(opened, NULL);
    EXPECT_EQ(GetLastError(), 4711u);
    EXPECT_NE(opened, held.handle);
    EXPECT_EQ(GetThreadId(opened), held.id);
    held_finish(&held);
    EXPECT_EQ(WaitForSingleObject(opened, 0), (DWORD)WAIT_OBJECT_0);

    /* It has ended: a handle keeps the record, but not the id. */
    EXPECT_EQ(OpenThread(THREAD_QUERY_INFORMATION, FALSE, held.id), NULL);
    EXPECT_EQ(GetLastError(), (DWORD)ERROR_INVALID_PARAMETER);
    EXPECT_TRUE(CloseHandle(opened));

    const DWORD nobody[] = {0, 0x7FFFFFFF, 0xFFFFFFFF};
    for (int i = 0; i < 3; i++) {
        SetLastError(ERROR_SUCCESS);
        EXPECT_EQ(OpenThread(THREAD_QUERY_INFORMATION, FALSE, nobody[i]), NULL);
        EXPECT_EQ(GetLastError(), (DWORD)ERROR_INVALID_PARAMETER);
    }
    PAL_Terminate();
}

PAL_TEST(thread_contract, open_main_thread)
{
    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    HANDLE self = OpenThread(THREAD_ALL_ACCESS, FALSE, GetCurrentThreadId());
    ASSERT_NE(self, NULL);
    EXPECT_EQ(GetThreadId(self), (DWORD)getpid());
    EXPECT_EQ(thread_finish(thread_start(open_main, NULL)), (DWORD)ERROR_SUCCESS);
    EXPECT_TRUE(CloseHandle(self));
    PAL_Terminate();
    EXPECT_EQ(OpenThread(THREAD_ALL_ACCESS, FALSE, GetCurrentThreadId()), NULL);
    EXPECT_EQ(GetLastError(), (DWORD)ERROR_NOT_READY);
}

static DWORD PALAPI tell_last_error(LPVOID unused)
{
    (void)unused;
    return GetLastError();
}

PAL_TEST(thread_contract, starts_without_a_last_error)
{
    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    SetLastError(4711);
    EXPECT_EQ(thread_finish(thread_start(tell_last_error, NULL)), (DWORD)ERROR_SUCCESS);
    PAL_Terminate();
}

/* The others go on, and the last one's end is the process's, with 0. */
PAL_TEST(thread_contract, main_thread_ends_ahead_of_others)
{
    char *const argv[] = {THREAD_HOST, "exit-main", NULL};

    SKIP_UNLESS(!KIT_TSAN, "ThreadSanitizer hangs after an end of the main thread");
    struct kit_child_result result = kit_run_program(argv, NULL);

    EXPECT_CHILD_OK(result);
    EXPECT_STREQ(result.output, "main thread: 7\nstill here\n");
}

PAL_TEST(thread_contract, main_thread_is_the_last_to_end)
{
    char *const argv[] = {THREAD_HOST, "exit-main-alone", NULL};

    SKIP_UNLESS(!KIT_TSAN, "ThreadSanitizer hangs after an end of the main thread");
    struct kit_child_result result = kit_run_program(argv, NULL);

    EXPECT_CHILD_OK(result);
    EXPECT_STREQ(result.output, "");
}
