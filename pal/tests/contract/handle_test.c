/* SPDX-License-Identifier: MIT */
/* Handles: open, closed, stale, of no object at all; many of them, and many threads at them. */
#include <pal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "contract/threads.h"
#include "kit/resources.h"
#include "kit/test.h"

static HANDLE duplicate(HANDLE source)
{
    HANDLE handle = NULL;

    if (!DuplicateHandle(GetCurrentProcess(), source, GetCurrentProcess(), &handle, 0, FALSE,
                         DUPLICATE_SAME_ACCESS))
        kit_fail(__FILE__, __LINE__, "DuplicateHandle: error %u", (unsigned)GetLastError());
    return handle;
}

static HANDLE with_bits(HANDLE handle, uintptr_t bits)
{
    return (HANDLE)((uintptr_t)handle ^ bits);
}

#define EXPECT_ERROR(expected)                                                                     \
    do {                                                                                           \
        EXPECT_EQ(GetLastError(), (DWORD)(expected));                                              \
        SetLastError(ERROR_SUCCESS);                                                               \
    } while (0)

/* Every function that takes a thread's handle says that this is none. */
static void expect_no_thread(HANDLE handle)
{
    FILETIME t;
    DWORD code = 0;
    PWSTR name = NULL;

    SetLastError(ERROR_SUCCESS);
    EXPECT_FALSE(GetExitCodeThread(handle, &code));
    EXPECT_ERROR(ERROR_INVALID_HANDLE);
    EXPECT_EQ(GetThreadId(handle), 0u);
    EXPECT_ERROR(ERROR_INVALID_HANDLE);
    EXPECT_EQ(ResumeThread(handle), (DWORD)-1);
    EXPECT_ERROR(ERROR_INVALID_HANDLE);
    EXPECT_FALSE(GetThreadTimes(handle, &t, &t, &t, &t));
    EXPECT_ERROR(ERROR_INVALID_HANDLE);
    EXPECT_FALSE(SetThreadPriority(handle, THREAD_PRIORITY_NORMAL));
    EXPECT_ERROR(ERROR_INVALID_HANDLE);
    EXPECT_EQ(GetThreadPriority(handle), THREAD_PRIORITY_ERROR_RETURN);
    EXPECT_ERROR(ERROR_INVALID_HANDLE);
    EXPECT_EQ(SetThreadDescription(handle, u"x"), HRESULT_FROM_WIN32(ERROR_INVALID_HANDLE));
    EXPECT_EQ(GetThreadDescription(handle, &name), HRESULT_FROM_WIN32(ERROR_INVALID_HANDLE));
}

static void expect_no_handle(HANDLE handle)
{
    const HANDLE untouched = &handle;
    HANDLE target = untouched;

    expect_no_thread(handle);
    EXPECT_EQ(WaitForSingleObject(handle, 0), (DWORD)WAIT_FAILED);
    EXPECT_ERROR(ERROR_INVALID_HANDLE);
    EXPECT_FALSE(DuplicateHandle(GetCurrentProcess(), handle, GetCurrentProcess(), &target, 0,
                                 FALSE, DUPLICATE_SAME_ACCESS));
    EXPECT_ERROR(ERROR_INVALID_HANDLE);
    EXPECT_EQ(target, untouched);
    EXPECT_FALSE(CloseHandle(handle));
    EXPECT_ERROR(ERROR_INVALID_HANDLE);
}

static void expect_thread(HANDLE handle, DWORD id)
{
    DWORD code = 0;

    EXPECT_EQ(GetThreadId(handle), id);
    EXPECT_TRUE(GetExitCodeThread(handle, &code));
    EXPECT_EQ(WaitForSingleObject(handle, 0), (DWORD)WAIT_TIMEOUT);
}

PAL_TEST(handle_contract, closed_is_closed)
{
    struct held held;

    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    ASSERT_TRUE(held_start(&held));
    HANDLE handle = duplicate(held.handle);
    EXPECT_NE(handle, held.handle);
    expect_thread(handle, held.id);
    SetLastError(4711);
    EXPECT_TRUE(CloseHandle(handle));
    EXPECT_EQ(GetLastError(), 4711u);
    expect_no_handle(handle);
    expect_thread(held.handle, held.id); /* the other one has not noticed */
    held_finish(&held);
    expect_no_handle(held.handle);
    PAL_Terminate();
}

/* However often its place is used again. */
PAL_TEST(handle_contract, stale_is_never_another)
{
    enum { LATER = 200000 };
    struct held held;

    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    ASSERT_TRUE(held_start(&held));
    HANDLE stale = duplicate(held.handle);
    EXPECT_TRUE(CloseHandle(stale));
    for (int i = 0; i < LATER; i++) {
        HANDLE later = duplicate(held.handle);
        ASSERT_NE(later, stale);
        ASSERT_EQ(GetThreadId(stale), 0u);
        ASSERT_FALSE(CloseHandle(stale));
        ASSERT_TRUE(CloseHandle(later));
    }
    expect_no_handle(stale);
    held_finish(&held);
    PAL_Terminate();
}

PAL_TEST(handle_contract, low_two_bits_are_ignored)
{
    struct held held;

    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    ASSERT_TRUE(held_start(&held));
    for (uintptr_t bits = 1; bits < 4; bits++) {
        HANDLE handle = duplicate(held.handle);
        expect_thread(with_bits(handle, bits), held.id);
        EXPECT_EQ(ResumeThread(with_bits(handle, bits)), (DWORD)-1);
        EXPECT_EQ(GetLastError(), (DWORD)ERROR_BAD_COMMAND);
        HANDLE other = duplicate(with_bits(handle, bits));
        expect_thread(other, held.id);
        EXPECT_TRUE(CloseHandle(with_bits(other, bits)));
        expect_no_handle(other);
        EXPECT_TRUE(CloseHandle(with_bits(handle, bits)));
        expect_no_handle(handle);
        expect_no_handle(with_bits(handle, bits));

        EXPECT_EQ(GetThreadId(with_bits(GetCurrentThread(), bits)), GetCurrentThreadId());
        HANDLE target = NULL;
        EXPECT_TRUE(DuplicateHandle(with_bits(GetCurrentProcess(), bits),
                                    with_bits(GetCurrentThread(), bits),
                                    with_bits(GetCurrentProcess(), bits), &target, 0, FALSE, 0));
        EXPECT_TRUE(CloseHandle(target));
    }
    held_finish(&held);
    PAL_Terminate();
}

PAL_TEST(handle_contract, garbage)
{
    struct held held;

    expect_no_handle(NULL); /* before initialisation as well */
    expect_no_handle(INVALID_HANDLE_VALUE);
    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    ASSERT_TRUE(held_start(&held));
    const uintptr_t values[] = {0,
                                1,
                                2,
                                3,
                                (uintptr_t)-1,
                                0x12345678,
                                0xFFFFFFFC,
                                UINTPTR_MAX >> 1,
                                (uintptr_t)INTPTR_MIN,
                                (uintptr_t)&held,
                                (uintptr_t)values,
                                (uintptr_t)duplicate};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        if ((values[i] | 3) != ((uintptr_t)held.handle | 3))
            expect_no_handle((HANDLE)values[i]);
    for (int bit = 2; bit < (int)(sizeof(uintptr_t) * 8); bit++) {
        const uintptr_t ones = UINTPTR_MAX << bit;
        /* Of these two may be pseudo-handles. */
        if ((HANDLE)ones != GetCurrentThread() && (HANDLE)ones != GetCurrentProcess())
            expect_no_handle((HANDLE)ones);
        if ((UINTPTR_MAX >> bit | 3) != ((uintptr_t)held.handle | 3))
            expect_no_handle((HANDLE)(UINTPTR_MAX >> bit));
    }
    expect_thread(held.handle, held.id);
    held_finish(&held);
    PAL_Terminate();
}

/* With one handle open, whatever differs from it is none. */
PAL_TEST(handle_contract, every_bit_counts)
{
    struct held held;

    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    ASSERT_TRUE(held_start(&held));
    for (int bit = 2; bit < (int)(sizeof(uintptr_t) * 8); bit++)
        expect_no_handle(with_bits(held.handle, (uintptr_t)1 << bit));
    expect_thread(held.handle, held.id);
    held_finish(&held);
    PAL_Terminate();
}

PAL_TEST(handle_contract, pseudo_handles)
{
    const HANDLE thread = GetCurrentThread();
    const HANDLE process = GetCurrentProcess();

    for (int initialized = 0; initialized < 2; initialized++) {
        EXPECT_NE((uintptr_t)thread >> 2, (uintptr_t)process >> 2);
        EXPECT_NE((uintptr_t)thread >> 2, (uintptr_t)INVALID_HANDLE_VALUE >> 2);
        EXPECT_NE((uintptr_t)process >> 2, (uintptr_t)INVALID_HANDLE_VALUE >> 2);
        EXPECT_NE((uintptr_t)thread >> 2, 0u);
        EXPECT_NE((uintptr_t)process >> 2, 0u);
        SetLastError(4711);
        EXPECT_TRUE(CloseHandle(thread));
        EXPECT_TRUE(CloseHandle(process));
        EXPECT_EQ(GetLastError(), 4711u);
        EXPECT_EQ(GetCurrentThread(), thread);
        EXPECT_EQ(GetCurrentProcess(), process);
        EXPECT_EQ(GetThreadId(thread), GetCurrentThreadId());
        expect_no_thread(process);
        ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    }
    HANDLE real = duplicate(thread);
    EXPECT_NE(real, thread);
    expect_thread(real, GetCurrentThreadId());
    EXPECT_TRUE(CloseHandle(real));
    expect_no_handle(real);
    PAL_Terminate();
    PAL_Terminate();
}

static DWORD PALAPI tell_id_through(LPVOID handle)
{
    return GetThreadId(handle);
}

/* The pseudo-handle means whoever uses it; a duplicate, whoever made it. */
PAL_TEST(handle_contract, pseudo_handle_means_the_caller)
{
    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    HANDLE self = duplicate(GetCurrentThread());
    EXPECT_EQ(thread_finish(thread_start(tell_id_through, self)), GetCurrentThreadId());
    EXPECT_NE(thread_finish(thread_start(tell_id_through, GetCurrentThread())),
              GetCurrentThreadId());
    EXPECT_TRUE(CloseHandle(self));
    PAL_Terminate();
}

PAL_TEST(handle_contract, duplicate_options)
{
    const HANDLE process = GetCurrentProcess();
    struct held held;
    HANDLE target = NULL;

    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    ASSERT_TRUE(held_start(&held));
    SetLastError(4711);
    EXPECT_TRUE(
        DuplicateHandle(process, held.handle, process, &target, THREAD_ALL_ACCESS, TRUE, 0));
    expect_thread(target, held.id);
    expect_thread(held.handle, held.id);

    HANDLE moved = target;
    EXPECT_TRUE(DuplicateHandle(process, target, process, &moved, 0, FALSE,
                                DUPLICATE_CLOSE_SOURCE | DUPLICATE_SAME_ACCESS));
    EXPECT_NE(moved, target);
    expect_thread(moved, held.id);
    EXPECT_EQ(GetThreadId(target), 0u);

    /* Over itself. */
    EXPECT_TRUE(DuplicateHandle(process, moved, process, &moved, 0, FALSE, DUPLICATE_CLOSE_SOURCE));
    expect_thread(moved, held.id);

    /* Only to close. */
    SetLastError(4711);
    EXPECT_TRUE(DuplicateHandle(process, moved, process, NULL, 0, FALSE, DUPLICATE_CLOSE_SOURCE));
    EXPECT_EQ(GetLastError(), 4711u);
    expect_no_handle(moved);
    expect_no_handle(target);
    expect_thread(held.handle, held.id);
    held_finish(&held);
    PAL_Terminate();
}

PAL_TEST(handle_contract, duplicate_pseudo_handle_with_close_source)
{
    HANDLE target = NULL;

    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    EXPECT_TRUE(DuplicateHandle(GetCurrentProcess(), GetCurrentThread(), GetCurrentProcess(),
                                &target, 0, FALSE, DUPLICATE_CLOSE_SOURCE));
    expect_thread(target, GetCurrentThreadId());
    expect_thread(GetCurrentThread(), GetCurrentThreadId());
    EXPECT_TRUE(CloseHandle(target));
    PAL_Terminate();
}

PAL_TEST(handle_contract, duplicate_errors)
{
    const HANDLE process = GetCurrentProcess();
    struct held held;
    const HANDLE untouched = &held;
    HANDLE target = untouched;

    EXPECT_FALSE(DuplicateHandle(process, GetCurrentThread(), process, &target, 0, FALSE, 0));
    EXPECT_ERROR(ERROR_NOT_READY);
    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    ASSERT_TRUE(held_start(&held));
    EXPECT_FALSE(DuplicateHandle(process, held.handle, process, NULL, 0, FALSE, 0));
    EXPECT_ERROR(ERROR_INVALID_PARAMETER);
    for (DWORD option = 4; option != 0; option <<= 1) {
        EXPECT_FALSE(DuplicateHandle(process, held.handle, process, &target, 0, FALSE, option));
        EXPECT_ERROR(ERROR_INVALID_PARAMETER);
    }
    EXPECT_FALSE(DuplicateHandle(process, process, process, &target, 0, FALSE, 0));
    EXPECT_ERROR(ERROR_NOT_SUPPORTED);
    const HANDLE no_processes[] = {NULL, held.handle, GetCurrentThread(), INVALID_HANDLE_VALUE};
    for (int i = 0; i < 4; i++) {
        EXPECT_FALSE(DuplicateHandle(no_processes[i], held.handle, process, &target, 0, FALSE, 0));
        EXPECT_ERROR(ERROR_INVALID_HANDLE);
        EXPECT_FALSE(DuplicateHandle(process, held.handle, no_processes[i], &target, 0, FALSE, 0));
        EXPECT_ERROR(ERROR_INVALID_HANDLE);
    }
    EXPECT_EQ(target, untouched);
    expect_thread(held.handle, held.id);
    held_finish(&held);
    PAL_Terminate();
}

/* A valid source is closed in any event. */
PAL_TEST(handle_contract, failing_duplicate_closes_its_source)
{
    const HANDLE process = GetCurrentProcess();
    struct held held;
    HANDLE target = NULL;

    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    ASSERT_TRUE(held_start(&held));
    HANDLE source = duplicate(held.handle);
    EXPECT_FALSE(DuplicateHandle(process, source, process, &target, 0, FALSE,
                                 DUPLICATE_CLOSE_SOURCE | 0x100));
    EXPECT_ERROR(ERROR_INVALID_PARAMETER);
    expect_no_handle(source);
    source = duplicate(held.handle);
    EXPECT_FALSE(DuplicateHandle(process, source, NULL, &target, 0, FALSE, DUPLICATE_CLOSE_SOURCE));
    EXPECT_ERROR(ERROR_INVALID_HANDLE);
    expect_no_handle(source);
    EXPECT_EQ(target, NULL);
    expect_thread(held.handle, held.id);
    held_finish(&held);
    PAL_Terminate();
}

enum { MILLION = KIT_SANITIZED ? 100000 : 1000000 };

static HANDLE *handles;

static void open_all(HANDLE source)
{
    for (int i = 0; i < MILLION; i++) {
        handles[i] = NULL;
        (void)DuplicateHandle(GetCurrentProcess(), source, GetCurrentProcess(), &handles[i], 0,
                              FALSE, 0);
        ASSERT_NE(handles[i], NULL);
    }
}

static void close_one(int i)
{
    ASSERT_TRUE(CloseHandle(handles[i]));
}

static void first_in_first_out(void)
{
    for (int i = 0; i < MILLION; i++)
        close_one(i);
}

static void last_in_first_out(void)
{
    for (int i = MILLION - 1; i >= 0; i--)
        close_one(i);
}

static void in_random_order(void)
{
    unsigned state = 20240914;

    for (int i = MILLION - 1; i > 0; i--) {
        const int other = (int)(next_random(&state) % (unsigned)(i + 1));
        HANDLE handle = handles[i];
        handles[i] = handles[other];
        handles[other] = handle;
    }
    first_in_first_out();
}

/* Opens and closes at random, with half of them open on average. */
static void mixed(HANDLE source)
{
    unsigned state = 4711;

    memset(handles, 0, MILLION * sizeof *handles);
    for (int i = 0; i < 2 * MILLION; i++) {
        HANDLE *handle = &handles[next_random(&state) % MILLION];
        if (*handle)
            ASSERT_TRUE(CloseHandle(*handle));
        *handle = *handle ? NULL : duplicate(source);
    }
    for (int i = 0; i < MILLION; i++)
        if (handles[i])
            close_one(i);
}

/* What the first million needed does for every other. */
PAL_TEST(handle_contract, a_million_in_any_order)
{
    void (*const orders[])(void) = {last_in_first_out, first_in_first_out, in_random_order};
    struct held held;

    handles = calloc(MILLION, sizeof *handles);
    ASSERT_NE(handles, NULL);
    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    ASSERT_TRUE(held_start(&held));
    open_all(held.handle);
    first_in_first_out();
    const struct kit_resources before = kit_resources_now();
    const long memory_before = anonymous_kib();
    for (int order = 0; order < 3; order++) {
        open_all(held.handle);
        EXPECT_EQ(GetThreadId(handles[MILLION - 1]), held.id);
        orders[order]();
        EXPECT_RESOURCES_EQ(before, kit_resources_now());
        expect_no_growth(memory_before, anonymous_kib());
    }
    mixed(held.handle);
    EXPECT_RESOURCES_EQ(before, kit_resources_now());
    expect_no_growth(memory_before, anonymous_kib());
    expect_thread(held.handle, held.id);
    held_finish(&held);
    PAL_Terminate();
    free(handles);
}

PAL_TEST(handle_contract, a_million_one_by_one)
{
    struct held held;

    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    ASSERT_TRUE(held_start(&held));
    for (int i = 0; i < 10000; i++)
        EXPECT_TRUE(CloseHandle(duplicate(held.handle)));
    const struct kit_resources before = kit_resources_now();
    const long memory_before = anonymous_kib();
    for (int i = 0; i < MILLION; i++)
        ASSERT_TRUE(CloseHandle(duplicate(held.handle)));
    EXPECT_RESOURCES_EQ(before, kit_resources_now());
    expect_no_growth(memory_before, anonymous_kib());
    held_finish(&held);
    PAL_Terminate();
}

enum { CLOSERS = 4, CLOSINGS = 2000 };

struct closers {
    HANDLE handles[CLOSINGS];
    struct kit_latch starts[CLOSINGS];
    atomic_int closed[CLOSINGS];
};

static void close_at_once(int index, void *arg)
{
    struct closers *closers = arg;

    (void)index;
    for (int i = 0; i < CLOSINGS; i++) {
        kit_latch_arrive(&closers->starts[i]);
        while (atomic_load(&closers->starts[i].remaining) > 0)
            SwitchToThread(); /* closer together than a wake-up would be */
        if (CloseHandle(closers->handles[i]))
            atomic_fetch_add(&closers->closed[i], 1);
        else
            EXPECT_EQ(GetLastError(), (DWORD)ERROR_INVALID_HANDLE);
    }
}

PAL_TEST(handle_contract, of_concurrent_closers_one_succeeds)
{
    static struct closers closers;
    struct kit_threads threads;
    struct held held;

    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    ASSERT_TRUE(held_start(&held));
    for (int i = 0; i < CLOSINGS; i++) {
        closers.handles[i] = duplicate(held.handle);
        kit_latch_init(&closers.starts[i], CLOSERS);
    }
    ASSERT_EQ(kit_threads_start(&threads, CLOSERS, close_at_once, &closers), CLOSERS);
    kit_threads_join(&threads);
    for (int i = 0; i < CLOSINGS; i++)
        EXPECT_EQ(atomic_load(&closers.closed[i]), 1);
    expect_thread(held.handle, held.id);
    held_finish(&held);
    PAL_Terminate();
}

enum { PUBLICATIONS = KIT_SANITIZED ? 20000 : 1000000, LOOKERS = 5, STAYING = 700 };

struct race {
    struct kit_latch start;
    _Atomic(HANDLE) published; /* of `a`, or closed since */
    atomic_bool over;
    struct held a;
    struct held b;
};

/* Places of closed handles are taken by handles of another thread, which stay for a while. */
static void publish_and_close(struct race *race)
{
    static HANDLE staying[STAYING];

    for (int i = 0; i < PUBLICATIONS; i++) {
        HANDLE old = atomic_exchange(&race->published, duplicate(race->a.handle));
        if (old)
            EXPECT_TRUE(CloseHandle(old));
        if (staying[i % STAYING])
            EXPECT_TRUE(CloseHandle(staying[i % STAYING]));
        staying[i % STAYING] = duplicate(race->b.handle);
    }
    for (int i = 0; i < STAYING; i++)
        EXPECT_TRUE(CloseHandle(staying[i]));
    atomic_store(&race->over, true);
}

static void look_up_or_close(int index, void *arg)
{
    struct race *race = arg;

    kit_latch_arrive_and_wait(&race->start);
    if (index == LOOKERS) {
        publish_and_close(race);
        return;
    }
    while (!atomic_load(&race->over)) {
        HANDLE handle = atomic_load(&race->published);
        const DWORD id = GetThreadId(handle);
        if (id == 0)
            EXPECT_EQ(GetLastError(), (DWORD)ERROR_INVALID_HANDLE);
        else
            EXPECT_EQ(id, race->a.id);
    }
}

PAL_TEST(handle_contract, look_ups_race_with_closes)
{
    static struct race race;
    struct kit_threads threads;

    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    kit_latch_init(&race.start, LOOKERS + 1);
    ASSERT_TRUE(held_start(&race.a));
    ASSERT_TRUE(held_start(&race.b));
    ASSERT_EQ(kit_threads_start(&threads, LOOKERS + 1, look_up_or_close, &race), LOOKERS + 1);
    kit_threads_join(&threads);
    EXPECT_TRUE(CloseHandle(atomic_load(&race.published)));
    held_finish(&race.a);
    held_finish(&race.b);
    PAL_Terminate();
}

/* The same with objects that come and go: what is looked up may be gone altogether. */
static void look_up_or_end(int index, void *arg)
{
    struct race *race = arg;

    kit_latch_arrive_and_wait(&race->start);
    if (index == LOOKERS) {
        for (int i = 0; i < PUBLICATIONS / 500; i++) {
            HANDLE thread = thread_start(thread_returns, (LPVOID)(uintptr_t)33);
            HANDLE old = atomic_exchange(&race->published, thread);
            if (old)
                EXPECT_EQ(thread_finish(old), 33u);
        }
        atomic_store(&race->over, true);
        return;
    }
    while (!atomic_load(&race->over)) {
        HANDLE handle = atomic_load(&race->published);
        DWORD code = 33;
        PWSTR name = NULL;
        (void)GetExitCodeThread(handle, &code);
        EXPECT_TRUE(code == 33 || code == STILL_ACTIVE);
        (void)SetThreadDescription(handle, u"who is it");
        if (GetThreadDescription(handle, &name) == S_OK)
            LocalFree(name);
    }
}

PAL_TEST(handle_contract, look_ups_race_with_ends)
{
    static struct race race;
    struct kit_threads threads;

    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    kit_latch_init(&race.start, LOOKERS + 1);
    ASSERT_EQ(kit_threads_start(&threads, LOOKERS + 1, look_up_or_end, &race), LOOKERS + 1);
    kit_threads_join(&threads);
    EXPECT_EQ(thread_finish(atomic_load(&race.published)), 33u);
    PAL_Terminate();
}
