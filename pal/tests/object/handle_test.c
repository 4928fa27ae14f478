/* SPDX-License-Identifier: MIT */
#include "object/handle.h"

#include <errno.h>

#include "fixture.h"
#include "kit/fault.h"
#include "kit/latch.h"
#include "kit/test.h"

static HANDLE open_new(void)
{
    HANDLE handle = NULL;
    struct object *object = fixture_new(&fixture_type);

    if (object && handle_open(object, &handle) != ERROR_SUCCESS)
        object_release(object);
    return handle;
}

PAL_TEST(handle, leads_to_its_object)
{
    struct object *object = fixture_new(&fixture_type);
    struct object *found = NULL;
    HANDLE handle = NULL;

    ASSERT_EQ(handle_open(object, &handle), (DWORD)ERROR_SUCCESS);
    EXPECT_NE(handle, NULL);
    EXPECT_EQ((uintptr_t)handle & 3, 0u);
    for (uintptr_t low_bits = 0; low_bits < 4; low_bits++) {
        HANDLE tagged = (HANDLE)((uintptr_t)handle | low_bits);
        ASSERT_EQ(handle_reference(tagged, NULL, &found), (DWORD)ERROR_SUCCESS);
        EXPECT_EQ((void *)found, (void *)object);
        object_release(found);
    }
    EXPECT_EQ(handle_reference(handle, &fixture_type, &found), (DWORD)ERROR_SUCCESS);
    object_release(found);
    EXPECT_EQ(handle_reference(handle, &other_type, &found), (DWORD)ERROR_INVALID_HANDLE);
    EXPECT_EQ(handle_close((HANDLE)((uintptr_t)handle | 1)), (DWORD)ERROR_SUCCESS);
    EXPECT_EQ(fixture_alive(), 0);
}

PAL_TEST(handle, a_reference_outlives_it)
{
    struct object *found = NULL;
    HANDLE handle = open_new();

    ASSERT_EQ(handle_reference(handle, NULL, &found), (DWORD)ERROR_SUCCESS);
    EXPECT_EQ(handle_close(handle), (DWORD)ERROR_SUCCESS);
    EXPECT_EQ(fixture_alive(), 1);
    object_release(found);
    EXPECT_EQ(fixture_alive(), 0);
}

PAL_TEST(handle, closed_is_closed_whatever_comes_later)
{
    enum { ROUNDS = 2000 }; /* the slot is used again meanwhile */
    HANDLE stale = open_new();
    struct object *found = NULL;

    ASSERT_EQ(handle_close(stale), (DWORD)ERROR_SUCCESS);
    for (int i = 0; i < ROUNDS; i++) {
        HANDLE fresh = open_new();
        EXPECT_NE(fresh, stale);
        EXPECT_EQ(handle_reference(stale, NULL, &found), (DWORD)ERROR_INVALID_HANDLE);
        EXPECT_EQ(handle_close(stale), (DWORD)ERROR_INVALID_HANDLE);
        EXPECT_EQ(handle_close(fresh), (DWORD)ERROR_SUCCESS);
    }
    EXPECT_EQ(fixture_alive(), 0);
}

PAL_TEST(handle, slots_are_used_again)
{
    enum { ROUNDS = 20000 };

    for (int i = 0; i < ROUNDS; i++)
        ASSERT_EQ(handle_close(open_new()), (DWORD)ERROR_SUCCESS);
    EXPECT_EQ(kit_fault_calls(OS_CALL_MEMORY_MAP), 0);
}

PAL_TEST(handle, whatever_it_is_it_is_no_handle)
{
    const uintptr_t bad[] = {0,
                             1,
                             3,
                             4,
                             8,
                             0x1234,
                             0x12345678,
                             UINTPTR_MAX,
                             UINTPTR_MAX - 7,
                             UINTPTR_MAX / 2,
                             UINTPTR_MAX / 2 + 1,
                             (uintptr_t)&open_new};
    struct object *found = NULL;

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        EXPECT_EQ(handle_reference((HANDLE)bad[i], NULL, &found), (DWORD)ERROR_INVALID_HANDLE);
        EXPECT_EQ(handle_close((HANDLE)bad[i]), (DWORD)ERROR_INVALID_HANDLE);
    }
    HANDLE handle = open_new();
    for (unsigned bit = 2; bit < 8 * sizeof handle; bit++) {
        HANDLE changed = (HANDLE)((uintptr_t)handle ^ ((uintptr_t)1 << bit));
        EXPECT_EQ(handle_reference(changed, NULL, &found), (DWORD)ERROR_INVALID_HANDLE);
    }
    EXPECT_EQ(handle_close(handle), (DWORD)ERROR_SUCCESS);
}

PAL_TEST(handle, pseudo_handles_are_none)
{
    struct object *found = NULL;

    EXPECT_EQ(handle_reference(handle_current_thread(), NULL, &found), (DWORD)ERROR_INVALID_HANDLE);
    EXPECT_EQ(handle_reference(handle_current_process(), NULL, &found),
              (DWORD)ERROR_INVALID_HANDLE);
    EXPECT_FALSE(handle_is_current_process(handle_current_thread()));
    for (uintptr_t low_bits = 0; low_bits < 4; low_bits++) {
        HANDLE tagged = (HANDLE)((uintptr_t)handle_current_thread() | low_bits);
        EXPECT_TRUE(handle_is_current_thread(tagged));
        HANDLE invalid = (HANDLE)((uintptr_t)INVALID_HANDLE_VALUE & ~low_bits);
        EXPECT_FALSE(handle_is_current_thread(invalid) || handle_is_current_process(invalid));
    }
}

PAL_TEST(handle, without_memory_opening_fails_and_takes_nothing)
{
    struct object *object = fixture_new(&fixture_type);
    HANDLE handle = NULL;

    kit_fault(OS_CALL_MEMORY_MAP, 0, KIT_FOREVER, ENOMEM);
    object_acquire(object);
    while (handle_open(object, &handle) == ERROR_SUCCESS)
        object_acquire(object);
    EXPECT_NE(handle, NULL);
    /* Closed slots are used all the same, rested or not. */
    EXPECT_EQ(handle_close(handle), (DWORD)ERROR_SUCCESS);
    EXPECT_EQ(handle_open(object, &handle), (DWORD)ERROR_SUCCESS);
    kit_fault_clear();
    object_acquire(object);
    EXPECT_EQ(handle_open(object, &handle), (DWORD)ERROR_SUCCESS);
}

enum { THREADS = 4, RACES = 5000 };

struct close_race {
    struct kit_latch start[RACES];
    struct kit_latch done[RACES];
    HANDLE handle;
    atomic_int closed;
    atomic_int found;
};

static void race_to_close(int index, void *arg)
{
    struct close_race *race = arg;

    for (int i = 0; i < RACES; i++) {
        struct object *object = NULL;
        kit_latch_arrive_and_wait(&race->start[i]);
        if (index % 2 == 0) {
            if (handle_close(race->handle) == ERROR_SUCCESS)
                atomic_fetch_add(&race->closed, 1);
        } else if (handle_reference(race->handle, &fixture_type, &object) == ERROR_SUCCESS) {
            atomic_fetch_add(&race->found, 1);
            object_release(object);
        }
        kit_latch_arrive_and_wait(&race->done[i]);
    }
}

PAL_TEST(handle, one_of_those_who_close_it_succeeds)
{
    static struct close_race race;
    struct kit_threads threads;

    for (int i = 0; i < RACES; i++) {
        kit_latch_init(&race.start[i], THREADS + 1);
        kit_latch_init(&race.done[i], THREADS + 1);
    }
    ASSERT_EQ(kit_threads_start(&threads, THREADS, race_to_close, &race), THREADS);
    for (int i = 0; i < RACES; i++) {
        race.handle = open_new();
        kit_latch_arrive_and_wait(&race.start[i]);
        kit_latch_arrive_and_wait(&race.done[i]);
    }
    kit_threads_join(&threads);
    EXPECT_EQ(atomic_load(&race.closed), RACES);
    EXPECT_EQ(fixture_alive(), 0);
}
