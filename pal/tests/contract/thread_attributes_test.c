/* SPDX-License-Identifier: MIT */
/* What a thread has besides its code: priority, times, mask, affinity; and what stays the host's.
 */
#include <pal.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "contract/threads.h"
#include "kit/latch.h"
#include "kit/test.h"

static const int priorities[] = {THREAD_PRIORITY_IDLE,         THREAD_PRIORITY_LOWEST,
                                 THREAD_PRIORITY_BELOW_NORMAL, THREAD_PRIORITY_NORMAL,
                                 THREAD_PRIORITY_ABOVE_NORMAL, THREAD_PRIORITY_HIGHEST,
                                 THREAD_PRIORITY_TIME_CRITICAL};
enum { PRIORITIES = sizeof priorities / sizeof priorities[0] };

static const int no_priorities[] = {
    3, -3, 14, 16, -14, -16, (int)0x80000000, THREAD_PRIORITY_ERROR_RETURN};
enum { NO_PRIORITIES = sizeof no_priorities / sizeof no_priorities[0] };

PAL_TEST(thread_attributes, priority_is_remembered)
{
    struct held held;

    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    ASSERT_TRUE(held_start(&held));
    EXPECT_EQ(GetThreadPriority(held.handle), THREAD_PRIORITY_NORMAL);
    for (int i = 0; i < PRIORITIES; i++) {
        SetLastError(4711);
        EXPECT_TRUE(SetThreadPriority(held.handle, priorities[i]));
        EXPECT_EQ(GetThreadPriority(held.handle), priorities[i]);
        EXPECT_EQ(GetLastError(), 4711u);
        EXPECT_EQ(GetThreadPriority(GetCurrentThread()), THREAD_PRIORITY_NORMAL);
    }
    for (int i = 0; i < NO_PRIORITIES; i++) {
        SetLastError(ERROR_SUCCESS);
        EXPECT_FALSE(SetThreadPriority(held.handle, no_priorities[i]));
        EXPECT_EQ(GetLastError(), (DWORD)ERROR_INVALID_PARAMETER);
        EXPECT_EQ(GetThreadPriority(held.handle), THREAD_PRIORITY_TIME_CRITICAL);
    }
    held_finish(&held);
    PAL_Terminate();
}

PAL_TEST(thread_attributes, priority_errors)
{
    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    EXPECT_FALSE(SetThreadPriority(NULL, THREAD_PRIORITY_NORMAL));
    EXPECT_EQ(GetLastError(), (DWORD)ERROR_INVALID_HANDLE);
    SetLastError(ERROR_SUCCESS);
    EXPECT_EQ(GetThreadPriority(NULL), THREAD_PRIORITY_ERROR_RETURN);
    EXPECT_EQ(GetLastError(), (DWORD)ERROR_INVALID_HANDLE);
    PAL_Terminate();
}

/* Of the kernel: lowered, an unprivileged process could not raise it again. */
PAL_TEST(thread_attributes, priority_leaves_scheduling_alone)
{
    struct held held;

    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    ASSERT_TRUE(held_start(&held));
    const int nice_before = getpriority(PRIO_PROCESS, held.id);
    const int policy_before = sched_getscheduler((pid_t)held.id);
    for (int i = 0; i < PRIORITIES; i++) {
        EXPECT_TRUE(SetThreadPriority(held.handle, priorities[i]));
        EXPECT_EQ(getpriority(PRIO_PROCESS, held.id), nice_before);
        EXPECT_EQ(sched_getscheduler((pid_t)held.id), policy_before);
    }
    held_finish(&held);
    PAL_Terminate();
}

struct times {
    FILETIME creation;
    FILETIME exit;
    FILETIME kernel;
    FILETIME user;
};

static uint64_t number(FILETIME time)
{
    return ((uint64_t)time.dwHighDateTime << 32) | time.dwLowDateTime;
}

static uint64_t cpu(const struct times *times)
{
    return number(times->kernel) + number(times->user);
}

static bool get_times(HANDLE thread, struct times *times)
{
    memset(times, 0xff, sizeof *times);
    return GetThreadTimes(thread, &times->creation, &times->exit, &times->kernel, &times->user);
}

/* Of the calling thread, in units of 100 ns. */
static uint64_t own_cpu(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 10000000u + (uint64_t)now.tv_nsec / 100u;
}

struct burner {
    struct held held;
    uint64_t used;
};

static DWORD PALAPI burn(LPVOID parameter)
{
    struct burner *burner = parameter;

    while ((burner->used = own_cpu()) < 200000) /* 20 ms */
        ;
    return held_body(&burner->held);
}

PAL_TEST(thread_attributes, cpu_time_is_the_threads_own)
{
    struct burner burner = {.used = 0};
    struct held idler;
    struct times times;
    struct times idle;

    held_init(&burner.held);
    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    ASSERT_TRUE(held_start(&idler));
    HANDLE thread = thread_start(burn, &burner);
    ASSERT_NE(thread, NULL);
    kit_latch_wait(&burner.held.running);

    EXPECT_TRUE(get_times(thread, &times));
    EXPECT_GE(cpu(&times), burner.used);
    EXPECT_TRUE(get_times(idler.handle, &idle));
    EXPECT_LT(cpu(&idle), cpu(&times));

    kit_latch_arrive(&burner.held.release);
    EXPECT_EQ(WaitForSingleObject(thread, INFINITE), (DWORD)WAIT_OBJECT_0);
    EXPECT_TRUE(get_times(thread, &times));
    EXPECT_GE(cpu(&times), burner.used);
    const struct times final = times;
    EXPECT_TRUE(get_times(thread, &times));
    EXPECT_EQ(memcmp(&times, &final, sizeof final), 0);
    EXPECT_TRUE(CloseHandle(thread));
    held_finish(&idler);
    PAL_Terminate();
}

#define DAY ((uint64_t)24 * 3600 * 10000000u)

/* The right epoch and unit; closer would be a matter of who sets the clock. */
static bool is_today(FILETIME filetime)
{
    const uint64_t now = ((uint64_t)time(NULL) + UINT64_C(11644473600)) * 10000000u;
    return number(filetime) > now - DAY && number(filetime) < now + DAY;
}

PAL_TEST(thread_attributes, times_of_creation_and_exit)
{
    struct held held;
    struct times times;

    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    ASSERT_TRUE(held_start(&held));
    SetLastError(4711);
    EXPECT_TRUE(get_times(held.handle, &times));
    EXPECT_EQ(GetLastError(), 4711u);
    EXPECT_TRUE(is_today(times.creation));
    EXPECT_EQ(number(times.exit), 0u);
    const uint64_t creation = number(times.creation);
    kit_latch_arrive(&held.release);
    EXPECT_EQ(WaitForSingleObject(held.handle, INFINITE), (DWORD)WAIT_OBJECT_0);
    EXPECT_TRUE(get_times(held.handle, &times));
    EXPECT_EQ(number(times.creation), creation);
    EXPECT_TRUE(is_today(times.exit));
    EXPECT_TRUE(CloseHandle(held.handle));

    EXPECT_TRUE(get_times(GetCurrentThread(), &times)); /* a foreign one */
    EXPECT_TRUE(is_today(times.creation));
    EXPECT_EQ(number(times.exit), 0u);
    PAL_Terminate();
}

PAL_TEST(thread_attributes, times_errors)
{
    struct held held;
    FILETIME t;

    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    ASSERT_TRUE(held_start(&held));
    for (int missing = 0; missing < 4; missing++) {
        SetLastError(ERROR_SUCCESS);
        EXPECT_FALSE(GetThreadTimes(held.handle, missing == 0 ? NULL : &t, missing == 1 ? NULL : &t,
                                    missing == 2 ? NULL : &t, missing == 3 ? NULL : &t));
        EXPECT_EQ(GetLastError(), (DWORD)ERROR_INVALID_PARAMETER);
    }
    EXPECT_FALSE(GetThreadTimes(NULL, &t, &t, &t, &t));
    EXPECT_EQ(GetLastError(), (DWORD)ERROR_INVALID_HANDLE);
    held_finish(&held);
    PAL_Terminate();
}

static DWORD PALAPI tell_mask(LPVOID mask)
{
    return (DWORD)pthread_sigmask(SIG_SETMASK, NULL, mask);
}

PAL_TEST(thread_attributes, inherits_the_signal_mask)
{
    sigset_t mine;
    sigset_t its;

    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    (void)pthread_sigmask(SIG_SETMASK, NULL, &mine);
    sigaddset(&mine, SIGUSR1);
    sigaddset(&mine, SIGTERM);
    (void)pthread_sigmask(SIG_SETMASK, &mine, NULL);
    sigemptyset(&its);
    EXPECT_EQ(thread_finish(thread_start(tell_mask, &its)), 0u);
    for (int number = 1; number < SIGRTMIN; number++)
        EXPECT_EQ(sigismember(&its, number), sigismember(&mine, number));
    PAL_Terminate();
}

static DWORD PALAPI tell_affinity(LPVOID set)
{
    return sched_getaffinity(0, sizeof(cpu_set_t), set) == 0 ? 0 : 1;
}

PAL_TEST(thread_attributes, inherits_the_affinity)
{
    cpu_set_t mine;
    cpu_set_t its;
    int last = -1;

    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    SKIP_UNLESS(sched_getaffinity(0, sizeof mine, &mine) == 0, "affinity cannot be asked");
    for (int i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, &mine))
            last = i;
    SKIP_UNLESS(CPU_COUNT(&mine) > 1, "there is one processor");
    CPU_ZERO(&mine);
    CPU_SET(last, &mine);
    SKIP_UNLESS(sched_setaffinity(0, sizeof mine, &mine) == 0, "affinity cannot be changed");
    CPU_ZERO(&its);
    EXPECT_EQ(thread_finish(thread_start(tell_affinity, &its)), 0u);
    EXPECT_TRUE(CPU_EQUAL(&its, &mine));
    PAL_Terminate();
}

enum { SIGNALS = 65 };

static void read_dispositions(struct sigaction actions[SIGNALS])
{
    memset(actions, 0, SIGNALS * sizeof *actions);
    for (int number = 1; number < SIGNALS; number++)
        (void)sigaction(number, NULL, &actions[number]);
}

/* What there is to call, once: also as a list of what must not matter to a host's signals. */
static void use_everything(void)
{
    struct held held;
    struct times times;
    HANDLE other = NULL;
    PWSTR name = NULL;

    ASSERT_TRUE(held_start(&held));
    EXPECT_EQ(SetThreadDescription(held.handle, u"name"), S_OK);
    EXPECT_EQ(SetThreadDescription(GetCurrentThread(), u"name"), S_OK);
    EXPECT_EQ(GetThreadDescription(held.handle, &name), S_OK);
    EXPECT_EQ(LocalFree(name), NULL);
    EXPECT_TRUE(SetThreadPriority(held.handle, THREAD_PRIORITY_HIGHEST));
    EXPECT_TRUE(get_times(held.handle, &times));
    EXPECT_TRUE(DuplicateHandle(GetCurrentProcess(), held.handle, GetCurrentProcess(), &other, 0,
                                FALSE, DUPLICATE_SAME_ACCESS));
    EXPECT_EQ(WaitForSingleObject(other, 1), (DWORD)WAIT_TIMEOUT);
    EXPECT_TRUE(CloseHandle(other));
    const DWORD slot = TlsAlloc();
    EXPECT_TRUE(TlsSetValue(slot, &held));
    EXPECT_TRUE(TlsFree(slot));
    EXPECT_TRUE(SwitchToThread());
    Sleep(1);
    held_finish(&held);
    HANDLE suspended = CreateThread(NULL, 0, thread_exits, NULL, CREATE_SUSPENDED, NULL);
    ASSERT_NE(suspended, NULL);
    EXPECT_EQ(ResumeThread(suspended), 1u);
    thread_finish(suspended);
}

PAL_TEST(thread_attributes, no_signal_is_touched)
{
    static struct sigaction before[SIGNALS];
    static struct sigaction after[SIGNALS];
    sigset_t mask_before;
    sigset_t mask_after;

    read_dispositions(before);
    (void)pthread_sigmask(SIG_SETMASK, NULL, &mask_before);
    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    use_everything();
    PAL_Terminate();
    read_dispositions(after);
    (void)pthread_sigmask(SIG_SETMASK, NULL, &mask_after);
    for (int number = 1; number < SIGNALS; number++) {
        EXPECT_TRUE(before[number].sa_handler == after[number].sa_handler);
        EXPECT_EQ(before[number].sa_flags, after[number].sa_flags);
        EXPECT_EQ(sigismember(&mask_before, number), sigismember(&mask_after, number));
    }
}
