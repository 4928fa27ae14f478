/* SPDX-License-Identifier: MIT */
/* Eight threads that do to others whatever can be done, at random. */
#include <pal.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "contract/threads.h"
#include "kit/process.h"
#include "kit/resources.h"
#include "kit/test.h"

enum { ACTORS = 8, PLACES = 32, MOST_ALIVE = 64, SLOTS = 80 };

struct stress {
    struct kit_latch start;
    double deadline;
    _Atomic(HANDLE) places[PLACES]; /* handles, of which any may have been closed by now */
    DWORD slots[SLOTS];             /* of thread-local data */
    atomic_int created;
    atomic_int ran;
    atomic_int alive;
    atomic_int resumed;
    atomic_int suspended;
};

static struct stress stress;
static pthread_key_t end_key;

static void count_end(void *unused)
{
    (void)unused;
    atomic_fetch_sub(&stress.alive, 1);
}

static DWORD PALAPI live(LPVOID parameter)
{
    unsigned state = (unsigned)(uintptr_t)parameter;
    const DWORD slot = stress.slots[next_random(&state) % SLOTS];

    atomic_fetch_add(&stress.ran, 1);
    EXPECT_EQ(pthread_setspecific(end_key, &stress), 0);
    EXPECT_EQ(TlsGetValue(slot), NULL);
    EXPECT_TRUE(TlsSetValue(slot, &state));
    EXPECT_EQ(TlsGetValue(slot), (LPVOID)&state);
    switch (next_random(&state) % 4) {
    case 0:
        ExitThread(state);
    case 1:
        EXPECT_EQ(SetThreadDescription(GetCurrentThread(), u"by itself"), S_OK);
        break;
    case 2:
        touch_stack(16 * 1024);
        break;
    default:
        (void)SwitchToThread();
    }
    return state;
}

/* What may fail, since the handle may be closed, or the thread over. */
static void expect_one_of(DWORD error, DWORD other)
{
    const DWORD last = GetLastError();

    if (last != error && last != other)
        kit_fail(__FILE__, __LINE__, "error %u", (unsigned)last);
}

/* So that nothing stays suspended, whoever closes a handle resumes its thread. */
static void let_go(HANDLE handle)
{
    if (!handle)
        return;
    if (ResumeThread(handle) == 1)
        atomic_fetch_add(&stress.resumed, 1);
    else
        expect_one_of(ERROR_BAD_COMMAND, ERROR_INVALID_HANDLE);
    EXPECT_TRUE(CloseHandle(handle)); /* the only one who has it from its place */
}

static void put(HANDLE handle, unsigned *state)
{
    let_go(atomic_exchange(&stress.places[next_random(state) % PLACES], handle));
}

/* To have been created counts before it can be over. */
static HANDLE create(DWORD flags, LPDWORD id, unsigned *state)
{
    static const SIZE_T sizes[] = {0, 1, 70001, 1 << 20};

    if (atomic_fetch_add(&stress.alive, 1) >= MOST_ALIVE) {
        atomic_fetch_sub(&stress.alive, 1);
        return NULL;
    }
    atomic_fetch_add(&stress.created, 1);
    if (flags)
        atomic_fetch_add(&stress.suspended, 1);
    HANDLE handle = CreateThread(NULL, sizes[next_random(state) % 4], live,
                                 (LPVOID)(uintptr_t)(next_random(state) | 1u), flags, id);
    if (!handle)
        kit_fail(__FILE__, __LINE__, "CreateThread: error %u", (unsigned)GetLastError());
    return handle;
}

static void create_running(unsigned *state)
{
    DWORD id;
    HANDLE handle = create(0, next_random(state) % 2 ? &id : NULL, state);

    if (handle)
        put(handle, state);
}

static void create_suspended(unsigned *state)
{
    HANDLE handle = create(CREATE_SUSPENDED, NULL, state);

    if (handle)
        put(handle, state);
}

/* Nobody else knows the id: it is there until we resume it. */
static void lose_and_find(unsigned *state)
{
    DWORD id = 0;
    HANDLE handle = create(CREATE_SUSPENDED, &id, state);

    if (!handle)
        return;
    EXPECT_TRUE(CloseHandle(handle));
    handle = OpenThread(THREAD_ALL_ACCESS, FALSE, id);
    EXPECT_NE(handle, NULL);
    EXPECT_EQ(GetThreadId(handle), id);
    EXPECT_EQ(WaitForSingleObject(handle, 0), (DWORD)WAIT_TIMEOUT);
    put(handle, state);
}

static HANDLE any(unsigned *state)
{
    return atomic_load(&stress.places[next_random(state) % PLACES]);
}

static void name(unsigned *state)
{
    static const char16_t *const names[] = {u"a", u"a name of some length", u"", u"\U0001f600"};
    HANDLE handle = any(state);
    PWSTR got = NULL;
    const HRESULT closed = HRESULT_FROM_WIN32(ERROR_INVALID_HANDLE);
    HRESULT result = SetThreadDescription(handle, names[next_random(state) % 4]);

    EXPECT_TRUE(result == S_OK || result == closed);
    result = GetThreadDescription(handle, &got);
    EXPECT_TRUE(result == S_OK || result == closed);
    LocalFree(got);
}

static void resume(unsigned *state)
{
    if (ResumeThread(any(state)) == 1)
        atomic_fetch_add(&stress.resumed, 1);
    else
        expect_one_of(ERROR_BAD_COMMAND, ERROR_INVALID_HANDLE);
}

static void duplicate(unsigned *state)
{
    HANDLE handle = NULL;

    if (DuplicateHandle(GetCurrentProcess(), any(state), GetCurrentProcess(), &handle, 0, FALSE,
                        DUPLICATE_SAME_ACCESS))
        put(handle, state);
    else
        expect_one_of(ERROR_INVALID_HANDLE, ERROR_INVALID_HANDLE);
}

static void wait(unsigned *state)
{
    const DWORD result = WaitForSingleObject(any(state), next_random(state) % 2);

    EXPECT_TRUE(result == WAIT_OBJECT_0 || result == WAIT_TIMEOUT || result == WAIT_FAILED);
    if (result == WAIT_FAILED)
        expect_one_of(ERROR_INVALID_HANDLE, ERROR_INVALID_HANDLE);
}

static void ask(unsigned *state)
{
    FILETIME t;
    DWORD code = 0;

    if (!GetExitCodeThread(any(state), &code))
        expect_one_of(ERROR_INVALID_HANDLE, ERROR_INVALID_HANDLE);
    if (!GetThreadTimes(any(state), &t, &t, &t, &t))
        expect_one_of(ERROR_INVALID_HANDLE, ERROR_INVALID_HANDLE);
    if (GetThreadId(any(state)) == 0)
        expect_one_of(ERROR_INVALID_HANDLE, ERROR_INVALID_HANDLE);
    if (!SetThreadPriority(any(state), THREAD_PRIORITY_LOWEST))
        expect_one_of(ERROR_INVALID_HANDLE, ERROR_INVALID_HANDLE);
}

static void drop(unsigned *state)
{
    put(NULL, state);
}

static void renew_slot(unsigned *state)
{
    const DWORD slot = TlsAlloc();

    (void)state;
    EXPECT_NE(slot, TLS_OUT_OF_INDEXES);
    EXPECT_EQ(TlsGetValue(slot), NULL);
    EXPECT_TRUE(TlsSetValue(slot, &stress));
    EXPECT_TRUE(TlsFree(slot));
}

static void *visit(void *unused)
{
    HANDLE self = NULL;

    EXPECT_TRUE(DuplicateHandle(GetCurrentProcess(), GetCurrentThread(), GetCurrentProcess(), &self,
                                0, FALSE, DUPLICATE_SAME_ACCESS));
    (void)unused;
    return self;
}

static void foreign(unsigned *state)
{
    pthread_t thread;
    void *handle = NULL;

    EXPECT_EQ(pthread_create(&thread, NULL, visit, NULL), 0);
    EXPECT_EQ(pthread_join(thread, &handle), 0);
    EXPECT_EQ(WaitForSingleObject(handle, 0), (DWORD)WAIT_OBJECT_0);
    put(handle, state);
}

static void (*const deeds[])(unsigned *state) = {
    create_running, create_running, create_suspended, lose_and_find, name, resume,
    resume,         duplicate,      duplicate,        wait,          ask,  drop,
    drop,           renew_slot,     foreign};
enum { DEEDS = sizeof deeds / sizeof deeds[0] };

static void act(int index, void *unused)
{
    unsigned state = 0x9E3779B9u * (unsigned)(index + 1);

    (void)unused;
    kit_latch_arrive_and_wait(&stress.start);
    while (kit_clock() < stress.deadline)
        deeds[next_random(&state) % DEEDS](&state);
}

static void run_for(double seconds)
{
    struct kit_threads threads;

    kit_latch_init(&stress.start, ACTORS);
    stress.deadline = kit_clock() + seconds;
    ASSERT_EQ(kit_threads_start(&threads, ACTORS, act, NULL), ACTORS);
    kit_threads_join(&threads);
    for (int i = 0; i < PLACES; i++)
        let_go(atomic_exchange(&stress.places[i], NULL));
    /* Nothing but its own end keeps any of them. */
    unsigned turns = 0;
    while (atomic_load(&stress.alive) > 0)
        kit_pause(&turns);
    EXPECT_EQ(atomic_load(&stress.ran), atomic_load(&stress.created));
    EXPECT_EQ(atomic_load(&stress.resumed), atomic_load(&stress.suspended));
    EXPECT_GT(atomic_load(&stress.created), 0);
}

static double seconds_to_run(void)
{
    const char *text = getenv("PAL_STRESS_SECONDS");
    const double seconds = text ? strtod(text, NULL) : 0;

    return seconds > 0 ? seconds : 2;
}

PAL_TEST(thread_stress, everything_at_random)
{
    ASSERT_EQ(pthread_key_create(&end_key, count_end), 0);
    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    for (int i = 0; i < SLOTS; i++)
        stress.slots[i] = TlsAlloc();
    kit_resources_warm_up();
    const int tasks = kit_resources_now().tasks;
    run_for(0.5); /* libc's memory for so many threads, and ours */
    const struct kit_resources before = resources_when_settled(tasks);
    const long memory_before = anonymous_kib();
    run_for(seconds_to_run());
    const struct kit_resources after = kit_resources_after(&before);
    EXPECT_EQ(after.descriptors, before.descriptors);
    EXPECT_EQ(after.tasks, before.tasks);
    EXPECT_EQ(after.free_keys, before.free_keys);
    if (!KIT_SANITIZED) {
        /* As many threads at once as never before may need as much memory as never before. */
        EXPECT_LE(after.mappings, before.mappings + 4 * MOST_ALIVE);
        EXPECT_LE(anonymous_kib(), memory_before + 8 * 1024);
    }
    PAL_Terminate();
}
