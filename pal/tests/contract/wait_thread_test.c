/* SPDX-License-Identifier: MIT */
/* Waiting for threads. */
#include <pal.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "contract/threads.h"
#include "kit/process.h"
#include "kit/test.h"

PAL_TEST(wait_thread, looks_and_gives_up)
{
    struct held held;

    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    ASSERT_TRUE(held_start(&held));
    SetLastError(4711);
    EXPECT_EQ(WaitForSingleObject(held.handle, 0), (DWORD)WAIT_TIMEOUT);
    EXPECT_EQ(WaitForSingleObject(held.handle, 1), (DWORD)WAIT_TIMEOUT);
    EXPECT_EQ(WaitForSingleObject(held.handle, 20), (DWORD)WAIT_TIMEOUT);
    EXPECT_EQ(GetLastError(), 4711u);
    held_finish(&held);
    PAL_Terminate();
}

PAL_TEST(wait_thread, ended_for_good)
{
    const DWORD times[] = {0, 1, 1000, INFINITE - 1, INFINITE};

    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    HANDLE thread = thread_start(thread_returns, NULL);
    ASSERT_NE(thread, NULL);
    EXPECT_EQ(WaitForSingleObject(thread, INFINITE), (DWORD)WAIT_OBJECT_0);
    SetLastError(4711);
    for (int i = 0; i < 10; i++)
        EXPECT_EQ(WaitForSingleObject(thread, times[i % 5]), (DWORD)WAIT_OBJECT_0);
    EXPECT_EQ(GetLastError(), 4711u);
    EXPECT_TRUE(CloseHandle(thread));
    PAL_Terminate();
}

PAL_TEST(wait_thread, errors)
{
    const DWORD times[] = {0, 1, INFINITE};

    EXPECT_EQ(WaitForSingleObject(GetCurrentThread(), 0), (DWORD)WAIT_FAILED);
    EXPECT_EQ(GetLastError(), (DWORD)ERROR_NOT_READY);
    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    HANDLE closed = thread_start(thread_returns, NULL);
    thread_finish(closed);
    const HANDLE none[] = {NULL, INVALID_HANDLE_VALUE, closed};
    for (int i = 0; i < 9; i++) {
        SetLastError(ERROR_SUCCESS);
        EXPECT_EQ(WaitForSingleObject(none[i / 3], times[i % 3]), (DWORD)WAIT_FAILED);
        EXPECT_EQ(GetLastError(), (DWORD)ERROR_INVALID_HANDLE);
    }
    PAL_Terminate();
}

PAL_TEST(wait_thread, oneself_does_not_end)
{
    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    EXPECT_EQ(WaitForSingleObject(GetCurrentThread(), 0), (DWORD)WAIT_TIMEOUT);
    EXPECT_EQ(WaitForSingleObject(GetCurrentThread(), 1), (DWORD)WAIT_TIMEOUT);
    PAL_Terminate();
}

struct waiter {
    HANDLE object;
    DWORD milliseconds;
    DWORD result;
    DWORD id;
    HANDLE handle;
};

static DWORD PALAPI wait_for(LPVOID parameter)
{
    struct waiter *waiter = parameter;

    waiter->result = WaitForSingleObject(waiter->object, waiter->milliseconds);
    return 0;
}

/* Begins a wait, and returns when it is under way. */
static void waiter_start(struct waiter *waiter, HANDLE object, DWORD milliseconds)
{
    *waiter = (struct waiter){.object = object, .milliseconds = milliseconds, .result = 4711};
    waiter->handle = CreateThread(NULL, 0, wait_for, waiter, 0, &waiter->id);
    ASSERT_NE(waiter->handle, NULL);
    wait_until_asleep(waiter->id);
}

static void expect_woken(struct waiter *waiter)
{
    EXPECT_EQ(thread_finish(waiter->handle), 0u);
    EXPECT_EQ(waiter->result, (DWORD)WAIT_OBJECT_0);
}

PAL_TEST(wait_thread, ends_with_the_thread)
{
    const DWORD times[] = {INFINITE, INFINITE - 1, 0x80000000, 0x7FFFFFFF, 120000};

    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    for (int i = 0; i < 5; i++) {
        struct held held;
        struct waiter waiter;
        ASSERT_TRUE(held_start(&held));
        waiter_start(&waiter, held.handle, times[i]);
        EXPECT_EQ(WaitForSingleObject(waiter.handle, 0), (DWORD)WAIT_TIMEOUT);
        held_finish(&held);
        expect_woken(&waiter);
    }
    PAL_Terminate();
}

enum { WAITERS = 8 };

PAL_TEST(wait_thread, wakes_all_waiters)
{
    struct waiter waiters[WAITERS];
    struct held held;

    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    ASSERT_TRUE(held_start(&held));
    for (int i = 0; i < WAITERS; i++)
        waiter_start(&waiters[i], held.handle, i % 2 ? INFINITE : 120000);
    held_finish(&held);
    for (int i = 0; i < WAITERS; i++)
        expect_woken(&waiters[i]);
    PAL_Terminate();
}

/* One that gave up takes nothing away from those that did not. */
PAL_TEST(wait_thread, time_outs_leave_others_waiting)
{
    struct waiter before;
    struct waiter after;
    struct held held;

    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    ASSERT_TRUE(held_start(&held));
    waiter_start(&before, held.handle, INFINITE);
    EXPECT_EQ(WaitForSingleObject(held.handle, 5), (DWORD)WAIT_TIMEOUT);
    waiter_start(&after, held.handle, INFINITE);
    EXPECT_EQ(WaitForSingleObject(held.handle, 5), (DWORD)WAIT_TIMEOUT);
    held_finish(&held);
    expect_woken(&before);
    expect_woken(&after);
    PAL_Terminate();
}

/* The last handle, at that. */
PAL_TEST(wait_thread, handle_is_closed_meanwhile)
{
    struct waiter waiter;
    struct held held;

    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    ASSERT_TRUE(held_start(&held));
    waiter_start(&waiter, held.handle, INFINITE);
    EXPECT_TRUE(CloseHandle(held.handle));
    EXPECT_EQ(WaitForSingleObject(waiter.handle, 0), (DWORD)WAIT_TIMEOUT);
    kit_latch_arrive(&held.release);
    expect_woken(&waiter);
    PAL_Terminate();
}

static atomic_int handled;

static void handle_signal(int number)
{
    (void)number;
    atomic_fetch_add(&handled, 1);
}

static void interrupt(struct waiter *waiter, int flags)
{
    struct sigaction action = {.sa_handler = handle_signal, .sa_flags = flags};

    ASSERT_EQ(sigaction(SIGUSR1, &action, NULL), 0);
    for (int i = 0; i < 20; i++) {
        unsigned turns = 0;
        const int before = atomic_load(&handled);
        ASSERT_EQ(syscall(SYS_tgkill, getpid(), waiter->id, SIGUSR1), 0);
        while (atomic_load(&handled) == before)
            kit_pause(&turns);
        wait_until_asleep(waiter->id);
    }
    EXPECT_EQ(WaitForSingleObject(waiter->handle, 0), (DWORD)WAIT_TIMEOUT);
}

PAL_TEST(wait_thread, signals_do_not_end_it)
{
    SKIP_UNLESS(!KIT_TSAN, "ThreadSanitizer holds signals back until the wait is over");
    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    for (int i = 0; i < 4; i++) {
        struct waiter waiter;
        struct held held;
        ASSERT_TRUE(held_start(&held));
        waiter_start(&waiter, held.handle, i % 2 ? INFINITE : 120000);
        interrupt(&waiter, i / 2 ? SA_RESTART : 0);
        held_finish(&held);
        expect_woken(&waiter);
    }
    PAL_Terminate();
}

static DWORD PALAPI end_at_once(LPVOID written)
{
    *(int *)written = 1;
    return 0;
}

/* Without any other synchronisation: ThreadSanitizer looks on. */
PAL_TEST(wait_thread, sees_what_the_thread_did)
{
    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    for (int i = 0; i < 200; i++) {
        int written = 0;
        HANDLE thread = thread_start(end_at_once, &written);
        ASSERT_NE(thread, NULL);
        if (i % 2)
            EXPECT_EQ(WaitForSingleObject(thread, INFINITE), (DWORD)WAIT_OBJECT_0);
        else
            while (WaitForSingleObject(thread, 0) == WAIT_TIMEOUT)
                SwitchToThread();
        EXPECT_EQ(written, 1);
        EXPECT_TRUE(CloseHandle(thread));
    }
    PAL_Terminate();
}

/* Ends that meet waits on their way to sleep, by the hundred. */
PAL_TEST(wait_thread, no_end_is_missed)
{
    enum { ROUNDS = 300 };
    struct waiter waiters[4];

    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    for (int round = 0; round < ROUNDS; round++) {
        struct held held;
        ASSERT_TRUE(held_start(&held));
        for (int i = 0; i < 4; i++) {
            waiters[i] = (struct waiter){.object = held.handle, .milliseconds = INFINITE};
            waiters[i].handle = thread_start(wait_for, &waiters[i]);
            ASSERT_NE(waiters[i].handle, NULL);
        }
        kit_latch_arrive(&held.release);
        for (int i = 0; i < 4; i++)
            expect_woken(&waiters[i]);
        EXPECT_TRUE(CloseHandle(held.handle));
    }
    PAL_Terminate();
}

static void *wait_in_foreign(void *waiter)
{
    (void)wait_for(waiter);
    return NULL;
}

PAL_TEST(wait_thread, from_a_foreign_thread)
{
    struct held held;
    pthread_t thread;

    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    ASSERT_TRUE(held_start(&held));
    struct waiter waiter = {.object = held.handle, .milliseconds = INFINITE, .result = 4711};
    ASSERT_EQ(pthread_create(&thread, NULL, wait_in_foreign, &waiter), 0);
    kit_latch_arrive(&held.release);
    EXPECT_EQ(pthread_join(thread, NULL), 0);
    EXPECT_EQ(waiter.result, (DWORD)WAIT_OBJECT_0);
    EXPECT_TRUE(CloseHandle(held.handle));
    PAL_Terminate();
}

/* A lower bound, which no slow machine breaks: what ends early ends because of the signals. */
static DWORD PALAPI sleep_a_while(LPVOID unused)
{
    const double before = kit_clock();

    (void)unused;
    Sleep(50);
    return (DWORD)((kit_clock() - before) * 1000);
}

PAL_TEST(wait_thread, signals_do_not_end_a_sleep)
{
    struct sigaction action = {.sa_handler = handle_signal};
    DWORD id = 0;

    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    ASSERT_EQ(sigaction(SIGUSR1, &action, NULL), 0);
    HANDLE thread = CreateThread(NULL, 0, sleep_a_while, NULL, 0, &id);
    ASSERT_NE(thread, NULL);
    wait_until_asleep(id);
    while (WaitForSingleObject(thread, 1) == WAIT_TIMEOUT)
        (void)syscall(SYS_tgkill, getpid(), id, SIGUSR1);
    EXPECT_GE(thread_finish(thread), 50u);
    PAL_Terminate();
}
