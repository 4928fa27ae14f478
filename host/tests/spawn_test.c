/* SPDX-License-Identifier: MIT */
/* The parts of `palbench spawn`. */
#include <pal/init.h>
#include <string.h>

#include "kit/latch.h"
#include "kit/test.h"
#include "pace.h"
#include "spawn_create.h"
#include "spawn_rounds.h"
#include "spawn_sweep.h"
#include "spin_barrier.h"

#define MIB ((size_t)1024 * 1024)
#define NO_DEADLINE (UINT64_MAX / 2)

enum { PARTIES = 4, ROUNDS = 300 };

static struct {
    struct spin_barrier barrier;
    int written[PARTIES]; /* plain: the barrier is what orders them */
    atomic_int wrong;
} meeting;

static void write_meet_and_read(int index, void *unused)
{
    (void)unused;
    for (int round = 1; round <= ROUNDS; round++) {
        meeting.written[index] = round;
        spin_barrier_wait(&meeting.barrier);
        for (int i = 0; i < PARTIES; i++)
            if (meeting.written[i] != round)
                atomic_fetch_add(&meeting.wrong, 1);
        spin_barrier_wait(&meeting.barrier);
    }
}

PAL_TEST(spin_barrier, each_round_waits_for_all)
{
    struct kit_threads threads;

    spin_barrier_init(&meeting.barrier, PARTIES);
    ASSERT_EQ(kit_threads_start(&threads, PARTIES, write_meet_and_read, NULL), PARTIES);
    kit_threads_join(&threads);
    EXPECT_EQ(atomic_load(&meeting.wrong), 0);
}

PAL_TEST(spin_barrier, of_one_party_waits_for_nobody)
{
    struct spin_barrier barrier;

    spin_barrier_init(&barrier, 1);
    for (int i = 0; i < 3; i++)
        spin_barrier_wait(&barrier);
    EXPECT_EQ(atomic_load(&barrier.arrived), 0u);
}

static size_t laps(size_t planned, uint64_t deadline_ns)
{
    struct pace pace = {.planned = planned, .deadline_ns = deadline_ns};
    size_t made = 0;

    while (pace_again(&pace))
        EXPECT_EQ(pace.begun, ++made);
    return made;
}

PAL_TEST(pace, as_planned_or_once_past_the_deadline)
{
    EXPECT_EQ(laps(5, NO_DEADLINE), 5u);
    EXPECT_EQ(laps(5, 1), 1u);
    EXPECT_EQ(laps(0, NO_DEADLINE), 0u);
}

/* A lap costs 100 ns besides its rounds, each of which costs 10. */
static const struct spawn_lap seen = {.one_ns = 110, .some_ns = 300, .some_rounds = 20};

PAL_TEST(spawn_rounds, as_planned_when_they_fit)
{
    EXPECT_EQ(spawn_rounds_that_fit(&seen, 1000, 15, 15 * 10100.0), 1000u);
    EXPECT_EQ(spawn_rounds_that_fit(&seen, 1000, 15, 1e12), 1000u);
}

PAL_TEST(spawn_rounds, fewer_in_one_digit_when_they_do_not)
{
    EXPECT_EQ(spawn_rounds_that_fit(&seen, 1000, 15, 15 * 10000.0), 900u);
    EXPECT_EQ(spawn_rounds_that_fit(&seen, 1000, 15, 15 * 1100.0), 100u);
    EXPECT_EQ(spawn_rounds_that_fit(&seen, 1000, 15, 15 * 1000.0), 90u);
    EXPECT_EQ(spawn_rounds_that_fit(&seen, 1000, 15, 15 * 180.0), 8u);
}

PAL_TEST(spawn_rounds, one_at_least)
{
    static const struct spawn_lap noisy = {.one_ns = 300, .some_ns = 110, .some_rounds = 20};

    EXPECT_EQ(spawn_rounds_that_fit(&seen, 1000, 15, 0), 1u);
    EXPECT_EQ(spawn_rounds_that_fit(&seen, 1, 15, 1e12), 1u);
    EXPECT_EQ(spawn_rounds_that_fit(&noisy, 1000, 15, 0), 1u);
    EXPECT_EQ(spawn_rounds_that_fit(&noisy, 1000, 15, 1e12), 1000u);
}

PAL_TEST(spawn_rounds, counts_share_all_the_time_that_is_left)
{
    EXPECT_EQ(spawn_rounds_share(256, 256), 1.0);
    EXPECT_EQ(spawn_rounds_share(128, 255), 1.0); /* 256 is not measured */
    EXPECT_EQ(spawn_rounds_share(32, 64), 0.4);   /* 64 of 64 + 96 */
    EXPECT_GT(spawn_rounds_share(1, 256), 0.0);
    EXPECT_LT(spawn_rounds_share(1, 256), spawn_rounds_share(2, 256));
}

static void expect_answer(double pal, double limit, const char *answer)
{
    struct spawn_case spawn_case = {.limit = limit};

    for (int i = 0; i < 20; i++) {
        spawn_case_add(&spawn_case, SPAWN_PAL, i % 2 ? pal : 1000);
        spawn_case_add(&spawn_case, SPAWN_PTHREAD, 1000);
    }
    struct ratio ratio = spawn_case_ratio(&spawn_case);
    EXPECT_STREQ(spawn_case_answer(&spawn_case, &ratio), answer);
    spawn_case_free(&spawn_case);
}

PAL_TEST(spawn_case, interval_below_around_or_above_the_limit)
{
    expect_answer(1000, 1.1, "below");
    expect_answer(1200, 1.1, "around");
    expect_answer(1000, 0.7, "above");
}

PAL_TEST(spawn_case, share_of_a_thread_and_round)
{
    struct spawn_case spawn_case = {.threads = 4, .rounds = 50};

    spawn_case_add(&spawn_case, SPAWN_PAL, 1000);
    spawn_case_add(&spawn_case, SPAWN_PAL, 3000);
    EXPECT_EQ(spawn_case_share_ns(&spawn_case, SPAWN_PAL), 10.0);
    spawn_case_free(&spawn_case);
}

static size_t stack_size(void)
{
    pthread_attr_t attributes;
    size_t size = 0;

    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
        void *lowest;
        (void)pthread_attr_getstack(&attributes, &lowest, &size);
        (void)pthread_attr_destroy(&attributes);
    }
    return size;
}

static DWORD tell_stack_pal(LPVOID ret_size)
{
    *(size_t *)ret_size = stack_size();
    return 0;
}

static void *tell_stack_pthread(void *ret_size)
{
    *(size_t *)ret_size = stack_size();
    return NULL;
}

/* Both sides run what they are given, with a stack of that size and not of another one. */
PAL_TEST(spawn_impls, stacks_are_as_large_as_the_case_says)
{
    static const struct spawn_body body = {tell_stack_pal, tell_stack_pthread};
    static const size_t sizes[] = {0, 256 * 1024, 8192 * 1024};

    SKIP_UNLESS(!KIT_SANITIZED, "a sanitizer makes stacks larger");
    ASSERT_EQ(PAL_InitializeDLL(), 0);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t impl = 0; impl < SPAWN_IMPL_COUNT; impl++) {
            size_t wanted = sizes[i] ? sizes[i] : SPAWN_DEFAULT_STACK;
            size_t size = 0;
            struct spawn_stack stack;
            union spawn_thread thread;
            spawn_stack_open(&stack, sizes[i]);
            spawn_impls[impl].create(&thread, &stack, &body, &size);
            spawn_impls[impl].join(&thread);
            spawn_stack_close(&stack);
            EXPECT_GE(size, wanted);
            EXPECT_LT(size, wanted + MIB); /* libc's thread-local data and a guard on top */
        }
    PAL_Terminate();
}

static void expect_runs(const struct spawn_case *spawn_case, size_t runs, size_t blocks)
{
    for (size_t i = 0; i < SPAWN_IMPL_COUNT; i++) {
        EXPECT_EQ(spawn_case->figures[i].ns.count, runs);
        EXPECT_EQ(spawn_case->figures[i].block_medians.count, blocks);
    }
}

static void expect_sweep(uint64_t deadline_ns, size_t runs, size_t rounds)
{
    static const char *const names[] = {"yield-1",   "barrier-1", "yield-2",
                                        "barrier-2", "yield-4",   "barrier-4"};
    struct spawn_sweep_plan plan = {
        .most_threads = 7, .rounds = 10, .runs = 3, .deadline_ns = deadline_ns};
    struct spawn_case cases[SPAWN_SWEEP_CASES_MOST];

    ASSERT_EQ(spawn_sweep(&plan, cases), sizeof names / sizeof *names);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        EXPECT_STREQ(cases[i].name, names[i]);
        EXPECT_EQ(cases[i].threads, (size_t)1 << i / 2);
        EXPECT_EQ(cases[i].rounds, rounds);
        expect_runs(&cases[i], runs, runs);
        spawn_case_free(&cases[i]);
    }
}

PAL_TEST(spawn_sweep, doubles_up_to_the_most_and_keeps_its_deadline)
{
    ASSERT_EQ(PAL_InitializeDLL(), 0);
    expect_sweep(NO_DEADLINE, 3, 10);
    expect_sweep(1, 1, 1);
    PAL_Terminate();
}

static void expect_create(uint64_t deadline_ns, size_t rounds)
{
    struct spawn_create_plan plan = {.rounds = 2, .deadline_ns = deadline_ns};
    struct spawn_case cases[SPAWN_CREATE_CASES];

    spawn_create(&plan, cases);
    for (size_t i = 0; i < SPAWN_CREATE_CASES; i++) {
        bool batch = strcmp(cases[i].name, "create-default-batch64") == 0;
        EXPECT_EQ(cases[i].threads, batch ? 64u : 1u);
        expect_runs(&cases[i], rounds * (batch ? 3 : 20), rounds);
        spawn_case_free(&cases[i]);
    }
}

PAL_TEST(spawn_create, blocks_as_planned_or_one_past_the_deadline)
{
    ASSERT_EQ(PAL_InitializeDLL(), 0);
    expect_create(NO_DEADLINE, 2);
    expect_create(1, 1);
    PAL_Terminate();
}
