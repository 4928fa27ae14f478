/* SPDX-License-Identifier: MIT */
#include "sync/waitable.h"

#include <errno.h>
#include <pal/sync.h>

#include "kit/fault.h"
#include "kit/latch.h"
#include "kit/test.h"

static void never(struct object *object)
{
    (void)object;
}

static const struct object_type type = {.name = "test", .destroy = never};

PAL_TEST(waitable, signalled_for_good)
{
    struct waitable waitable;

    waitable_init(&waitable, &type);
    EXPECT_FALSE(waitable_is_signalled(&waitable));
    EXPECT_EQ(waitable_wait(&waitable, 0), (DWORD)WAIT_TIMEOUT);
    EXPECT_EQ(waitable_wait(&waitable, 1), (DWORD)WAIT_TIMEOUT);
    waitable_signal(&waitable);
    EXPECT_TRUE(waitable_is_signalled(&waitable));
    EXPECT_EQ(waitable_wait(&waitable, 0), (DWORD)ERROR_SUCCESS);
    EXPECT_EQ(waitable_wait(&waitable, INFINITE), (DWORD)ERROR_SUCCESS);
}

PAL_TEST(waitable, what_is_signalled_costs_no_call)
{
    struct waitable waitable;

    waitable_init(&waitable, &type);
    (void)waitable_wait(&waitable, 0);
    waitable_signal(&waitable);
    (void)waitable_wait(&waitable, INFINITE);
    EXPECT_EQ(kit_fault_calls(OS_CALL_FUTEX_WAIT), 0);
}

PAL_TEST(waitable, interruptions_and_false_alarms_are_passed_over)
{
    struct waitable waitable;

    waitable_init(&waitable, &type);
    kit_fault(OS_CALL_FUTEX_WAIT, 0, 3, EINTR);
    EXPECT_EQ(waitable_wait(&waitable, 1), (DWORD)WAIT_TIMEOUT);
    EXPECT_EQ(kit_fault_calls(OS_CALL_FUTEX_WAIT), 4);
}

PAL_TEST(waitable, an_answer_that_is_not_documented_is_told)
{
    struct waitable waitable;

    waitable_init(&waitable, &type);
    kit_fault(OS_CALL_FUTEX_WAIT, 0, KIT_FOREVER, ENOSYS);
    EXPECT_EQ(waitable_wait(&waitable, INFINITE), (DWORD)ERROR_INTERNAL_ERROR);
    EXPECT_EQ(errno, ENOSYS);
}

enum { WAITERS = 8 };

struct crowd {
    struct waitable waitable;
    struct kit_latch there;
    atomic_int woken;
    int told;
};

static void wait_in_crowd(int index, void *arg)
{
    struct crowd *crowd = arg;

    kit_latch_arrive(&crowd->there);
    /* Half of them with a time limit, which must not be reached. */
    if (waitable_wait(&crowd->waitable, index % 2 ? 100000 : INFINITE) == ERROR_SUCCESS &&
        crowd->told == 42)
        atomic_fetch_add(&crowd->woken, 1);
}

PAL_TEST(waitable, wakes_all_who_wait)
{
    static struct crowd crowd;
    struct kit_threads threads;

    waitable_init(&crowd.waitable, &type);
    kit_latch_init(&crowd.there, WAITERS);
    ASSERT_EQ(kit_threads_start(&threads, WAITERS, wait_in_crowd, &crowd), WAITERS);
    kit_latch_wait(&crowd.there);
    crowd.told = 42;
    waitable_signal(&crowd.waitable);
    kit_threads_join(&threads);
    EXPECT_EQ(atomic_load(&crowd.woken), WAITERS);
}
