/* SPDX-License-Identifier: MIT */
#include "spawn_create.h"

#include <stdio.h>

#include "clock.h"
#include "pace.h"
#include "progress.h"
#include "shuffle.h"

#define NS_PER_US 1e3
#define KIB ((size_t)1024)
#define BATCH 64

#define LIMIT_SINGLE 1.05
#define LIMIT_BATCH 0.70

/* Of a block: a batch is a measurement by itself. */
#define SINGLE 2, 20 /* warmup, runs */
#define BATCHES 1, 3

#define BLOCKS ((size_t)SPAWN_CREATE_CASES * SPAWN_IMPL_COUNT)

static const struct {
    const char *name;
    size_t stack; /* 0: the default */
    size_t threads;
    double limit;
    size_t warmup;
    size_t runs;
} shapes[SPAWN_CREATE_CASES] = {
    {"create-default-repeat", 0, 1, LIMIT_SINGLE, SINGLE},
    {"create-default-batch64", 0, BATCH, LIMIT_BATCH, BATCHES},
    {"create-256k-repeat", 256 * KIB, 1, LIMIT_SINGLE, SINGLE},
    {"create-8m-repeat", 8192 * KIB, 1, LIMIT_SINGLE, SINGLE},
};

static double time_threads(const struct spawn_impl *impl, const struct spawn_stack *stack,
                           size_t count)
{
    union spawn_thread threads[BATCH];

    uint64_t begin = clock_now_ns();
    for (size_t i = 0; i < count; i++)
        impl->create(&threads[i], stack, &spawn_nothing, NULL);
    for (size_t i = 0; i < count; i++)
        impl->join(&threads[i]);
    return (double)(clock_now_ns() - begin) / (double)count;
}

static void time_block(size_t shape, enum spawn_impl_id impl, const struct spawn_stack *stack,
                       struct spawn_case *spawn_case)
{
    struct samples *ns = &spawn_case->figures[impl].ns;
    size_t first = ns->count;

    for (size_t i = 0; i < shapes[shape].warmup; i++)
        (void)time_threads(&spawn_impls[impl], stack, shapes[shape].threads);
    for (size_t i = 0; i < shapes[shape].runs; i++)
        samples_add(ns, time_threads(&spawn_impls[impl], stack, shapes[shape].threads));
    spawn_case_end_block(spawn_case, impl, first);
}

static void open_cases(struct spawn_case cases[SPAWN_CREATE_CASES],
                       struct spawn_stack stacks[SPAWN_CREATE_CASES])
{
    for (size_t i = 0; i < SPAWN_CREATE_CASES; i++) {
        cases[i] = (struct spawn_case){.unit = "us",
                                       .unit_ns = NS_PER_US,
                                       .limit = shapes[i].limit,
                                       .threads = shapes[i].threads};
        (void)snprintf(cases[i].name, SPAWN_NAME_SIZE, "%s", shapes[i].name);
        spawn_stack_open(&stacks[i], shapes[i].stack);
    }
}

void spawn_create(const struct spawn_create_plan *plan, struct spawn_case cases[SPAWN_CREATE_CASES])
{
    struct pace pace = {.planned = plan->rounds, .deadline_ns = plan->deadline_ns};
    unsigned short generator[3] = {0x6372, 0x6561, 0x7465};
    struct spawn_stack stacks[SPAWN_CREATE_CASES];
    size_t order[BLOCKS];

    open_cases(cases, stacks);
    while (pace_again(&pace)) {
        progress_show("threads one by one", pace.begun - 1, pace.planned);
        shuffle(order, BLOCKS, generator);
        for (size_t i = 0; i < BLOCKS; i++) {
            size_t shape = order[i] / SPAWN_IMPL_COUNT;
            time_block(shape, order[i] % SPAWN_IMPL_COUNT, &stacks[shape], &cases[shape]);
        }
    }
    progress_clear();
    for (size_t i = 0; i < SPAWN_CREATE_CASES; i++)
        spawn_stack_close(&stacks[i]);
}
