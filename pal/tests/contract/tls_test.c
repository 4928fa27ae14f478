/* SPDX-License-Identifier: MIT */
/* Thread-local slots. */
#include <pal.h>
#include <pthread.h>

#include "contract/threads.h"
#include "kit/resources.h"
#include "kit/test.h"

enum { SLOTS = 1088 };

static LPVOID value_of(DWORD index, uintptr_t who)
{
    return (LPVOID)((uintptr_t)index * 1000 + who + 1);
}

static void alloc_all(void)
{
    bool seen[SLOTS] = {false};

    for (int i = 0; i < SLOTS; i++) {
        const DWORD index = TlsAlloc();
        ASSERT_LT(index, (DWORD)SLOTS);
        EXPECT_FALSE(seen[index]);
        seen[index] = true;
    }
}

static void free_all(void)
{
    for (DWORD index = 0; index < SLOTS; index++)
        EXPECT_TRUE(TlsFree(index));
}

PAL_TEST(tls, as_many_as_on_windows)
{
    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    for (int i = 0; i < 2; i++) {
        SetLastError(4711);
        alloc_all();
        EXPECT_EQ(GetLastError(), 4711u);
        EXPECT_EQ(TlsAlloc(), TLS_OUT_OF_INDEXES);
        EXPECT_EQ(GetLastError(), (DWORD)ERROR_NO_MORE_ITEMS);
        free_all();
    }
    PAL_Terminate();
}

PAL_TEST(tls, values_are_kept_apart)
{
    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    alloc_all();
    for (DWORD index = 0; index < SLOTS; index++) {
        SetLastError(4711);
        EXPECT_EQ(TlsGetValue(index), NULL);
        EXPECT_EQ(GetLastError(), (DWORD)ERROR_SUCCESS); /* as NULL may be a value */
        SetLastError(4711);
        EXPECT_TRUE(TlsSetValue(index, value_of(index, 0)));
        EXPECT_EQ(GetLastError(), 4711u);
    }
    for (DWORD index = 0; index < SLOTS; index++)
        EXPECT_EQ(TlsGetValue(index), value_of(index, 0));
    free_all();
    PAL_Terminate();
}

static void expect_error(DWORD index)
{
    SetLastError(ERROR_SUCCESS);
    EXPECT_EQ(TlsGetValue(index), NULL);
    EXPECT_EQ(GetLastError(), (DWORD)ERROR_INVALID_PARAMETER);
    SetLastError(ERROR_SUCCESS);
    EXPECT_FALSE(TlsSetValue(index, &index));
    EXPECT_EQ(GetLastError(), (DWORD)ERROR_INVALID_PARAMETER);
    SetLastError(ERROR_SUCCESS);
    EXPECT_FALSE(TlsFree(index));
    EXPECT_EQ(GetLastError(), (DWORD)ERROR_INVALID_PARAMETER);
}

PAL_TEST(tls, bad_indexes)
{
    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    const DWORD first = TlsAlloc();
    const DWORD second = TlsAlloc();
    EXPECT_TRUE(TlsSetValue(second, (LPVOID)8));
    EXPECT_TRUE(TlsFree(first));
    expect_error(first); /* free */
    expect_error(SLOTS - 1);
    const DWORD none[] = {SLOTS, SLOTS + 1, SLOTS + 64, 0x7FFFFFFF, 0x80000000, TLS_OUT_OF_INDEXES};
    for (int i = 0; i < 6; i++)
        expect_error(none[i]);
    EXPECT_EQ(TlsGetValue(second), (LPVOID)8);
    EXPECT_TRUE(TlsFree(second));
    alloc_all();
    for (int i = 0; i < 6; i++)
        expect_error(none[i]);
    free_all();
    PAL_Terminate();
}

/* Threads of both kinds that set every slot, and look at them whenever they are told to. */
enum { LOOKERS = 4, LOOKS = 3 };

struct looker {
    struct kit_latch *set;    /* all have set theirs */
    struct kit_latch *look;   /* the slots are to be seen now */
    struct kit_latch *looked; /* all have */
    struct kit_latch *release;
    uintptr_t who;
    DWORD renewed[2]; /* freed and allocated again meanwhile */
};

static bool is_renewed(const struct looker *looker, DWORD index)
{
    return index == looker->renewed[0] || index == looker->renewed[1];
}

static void set_and_look(struct looker *looker)
{
    for (DWORD index = 0; index < SLOTS; index++) {
        EXPECT_EQ(TlsGetValue(index), NULL); /* a new thread */
        EXPECT_TRUE(TlsSetValue(index, value_of(index, looker->who)));
    }
    kit_latch_arrive(looker->set);
    kit_latch_wait(looker->look);
    for (DWORD index = 0; index < SLOTS; index++)
        EXPECT_EQ(TlsGetValue(index),
                  is_renewed(looker, index) ? NULL : value_of(index, looker->who));
    kit_latch_arrive(looker->looked);
    kit_latch_wait(looker->release);
}

static DWORD PALAPI look_created(LPVOID looker)
{
    set_and_look(looker);
    return 0;
}

static void *look_foreign(void *looker)
{
    set_and_look(looker);
    return NULL;
}

/* All others being taken, the one that was freed is the one that comes. */
static void renew(DWORD index)
{
    ASSERT_TRUE(TlsFree(index));
    ASSERT_EQ(TlsAlloc(), index);
}

PAL_TEST(tls, null_in_every_thread_once_renewed)
{
    struct kit_latch set;
    struct kit_latch look;
    struct kit_latch looked;
    struct kit_latch release;
    struct looker lookers[LOOKERS];
    HANDLE created[LOOKERS / 2];
    pthread_t foreign[LOOKERS / 2];

    kit_latch_init(&set, LOOKERS);
    kit_latch_init(&look, 1);
    kit_latch_init(&looked, LOOKERS);
    kit_latch_init(&release, 1);
    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    alloc_all();
    for (int i = 0; i < LOOKERS; i++)
        lookers[i] = (struct looker){.set = &set,
                                     .look = &look,
                                     .looked = &looked,
                                     .release = &release,
                                     .who = (uintptr_t)i + 1,
                                     .renewed = {5, 777}};
    for (int i = 0; i < LOOKERS / 2; i++) {
        created[i] = thread_start(look_created, &lookers[2 * i]);
        ASSERT_NE(created[i], NULL);
        ASSERT_EQ(pthread_create(&foreign[i], NULL, look_foreign, &lookers[2 * i + 1]), 0);
    }
    for (DWORD index = 0; index < SLOTS; index++)
        EXPECT_TRUE(TlsSetValue(index, value_of(index, 0)));
    kit_latch_wait(&set);
    renew(5);
    renew(777);
    kit_latch_arrive(&look);
    for (DWORD index = 0; index < SLOTS; index++)
        EXPECT_EQ(TlsGetValue(index), is_renewed(&lookers[0], index) ? NULL : value_of(index, 0));
    kit_latch_wait(&looked);
    kit_latch_arrive(&release);
    for (int i = 0; i < LOOKERS / 2; i++) {
        EXPECT_EQ(thread_finish(created[i]), 0u);
        EXPECT_EQ(pthread_join(foreign[i], NULL), 0);
    }
    free_all();
    PAL_Terminate();
}

static DWORD PALAPI expect_nulls(LPVOID unused)
{
    (void)unused;
    for (DWORD index = 0; index < SLOTS; index++) {
        EXPECT_EQ(TlsGetValue(index), NULL);
        EXPECT_TRUE(TlsSetValue(index, value_of(index, 7)));
    }
    return 0;
}

/* On the record and the stack of one that had values. */
PAL_TEST(tls, null_in_a_thread_after_another)
{
    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    alloc_all();
    for (int i = 0; i < 20; i++)
        EXPECT_EQ(thread_finish(thread_start(expect_nulls, NULL)), 0u);
    free_all();
    PAL_Terminate();
}

PAL_TEST(tls, memory_of_the_many_slots_is_freed)
{
    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    alloc_all();
    for (int i = 0; i < 20; i++)
        EXPECT_EQ(thread_finish(thread_start(expect_nulls, NULL)), 0u);
    const long before = anonymous_kib();
    for (int i = 0; i < 300; i++)
        EXPECT_EQ(thread_finish(thread_start(expect_nulls, NULL)), 0u);
    expect_no_growth(before, anonymous_kib());
    free_all();
    PAL_Terminate();
}

PAL_TEST(tls, before_initialisation)
{
    const DWORD index = TlsAlloc();

    ASSERT_NE(index, TLS_OUT_OF_INDEXES);
    EXPECT_EQ(TlsGetValue(index), NULL);
    EXPECT_EQ(GetLastError(), (DWORD)ERROR_SUCCESS);
    EXPECT_FALSE(TlsSetValue(index, (LPVOID)5));
    EXPECT_EQ(GetLastError(), (DWORD)ERROR_NOT_READY);
    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    EXPECT_TRUE(TlsSetValue(index, (LPVOID)5));
    EXPECT_EQ(TlsGetValue(index), (LPVOID)5);
    PAL_Terminate();

    /* The slot is still ours, without a value. */
    EXPECT_EQ(TlsGetValue(index), NULL);
    EXPECT_EQ(GetLastError(), (DWORD)ERROR_SUCCESS);
    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    EXPECT_NE(TlsAlloc(), index);
    EXPECT_EQ(TlsGetValue(index), NULL);
    EXPECT_EQ(GetLastError(), (DWORD)ERROR_SUCCESS);
    EXPECT_TRUE(TlsFree(index));
    PAL_Terminate();
}

struct takers {
    struct kit_latch start;
    DWORD taken[4][SLOTS / 4];
};

static void take_slots(int index, void *arg)
{
    struct takers *takers = arg;

    kit_latch_arrive_and_wait(&takers->start);
    for (int i = 0; i < SLOTS / 4; i++) {
        takers->taken[index][i] = TlsAlloc();
        EXPECT_TRUE(TlsSetValue(takers->taken[index][i], takers));
    }
}

PAL_TEST(tls, allocated_by_many_at_once)
{
    static struct takers takers;
    struct kit_threads threads;
    bool seen[SLOTS] = {false};

    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    kit_latch_init(&takers.start, 4);
    ASSERT_EQ(kit_threads_start(&threads, 4, take_slots, &takers), 4);
    kit_threads_join(&threads);
    for (int i = 0; i < SLOTS; i++) {
        const DWORD index = takers.taken[i % 4][i / 4];
        ASSERT_LT(index, (DWORD)SLOTS);
        EXPECT_FALSE(seen[index]);
        seen[index] = true;
    }
    EXPECT_EQ(TlsAlloc(), TLS_OUT_OF_INDEXES);
    free_all();
    PAL_Terminate();
}
