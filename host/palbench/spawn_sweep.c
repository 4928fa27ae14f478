/* SPDX-License-Identifier: MIT */
#include "spawn_sweep.h"

#include <stdio.h>

#include "clock.h"
#include "pace.h"
#include "progress.h"
#include "shuffle.h"
#include "spawn_crowd.h"
#include "spawn_rounds.h"

#define NS_PER_MS 1e6
#define LIMIT 1.10
#define WARMUP_DIVISOR 10 /* of the rounds planned */
#define AIM 0.85          /* at so much of a count's time: a warm-up predicts it roughly */

enum kind { KIND_YIELD, KIND_BARRIER, KIND_COUNT };

#define LAP_RUNS ((size_t)KIND_COUNT * SPAWN_IMPL_COUNT)

struct sweep {
    const struct spawn_sweep_plan *plan;
    struct spawn_stack stack;
    unsigned short generator[3];
    union spawn_thread threads[SPAWN_THREADS_MOST];
};

/* One run of each kind on either side, in a new order each time. cases: NULL drops the times.
 * Returns how long it took. */
static double lap(struct sweep *sweep, size_t threads, size_t rounds, struct spawn_case *cases)
{
    size_t order[LAP_RUNS];
    double sum = 0;

    shuffle(order, LAP_RUNS, sweep->generator);
    for (size_t i = 0; i < LAP_RUNS; i++) {
        size_t kind = order[i] / SPAWN_IMPL_COUNT;
        enum spawn_impl_id impl = order[i] % SPAWN_IMPL_COUNT;
        struct spawn_crowd crowd = {threads, rounds, kind == KIND_BARRIER};
        double ns = spawn_crowd_ns(&crowd, &spawn_impls[impl], &sweep->stack, sweep->threads);
        if (cases)
            spawn_case_add(&cases[kind], impl, ns);
        sum += ns;
    }
    return sum;
}

/* The warm-up tells the rounds. */
static size_t warm_up(struct sweep *sweep, size_t threads)
{
    const struct spawn_sweep_plan *plan = sweep->plan;
    struct spawn_lap seen = {.some_rounds = plan->rounds / WARMUP_DIVISOR + 2};
    uint64_t now = clock_now_ns();
    double left = plan->deadline_ns > now ? (double)(plan->deadline_ns - now) : 0;

    (void)lap(sweep, threads, 1, NULL);
    seen.one_ns = lap(sweep, threads, 1, NULL);
    seen.some_ns = lap(sweep, threads, seen.some_rounds, NULL);
    return spawn_rounds_that_fit(&seen, plan->rounds, plan->runs,
                                 AIM * left * spawn_rounds_share(threads, plan->most_threads));
}

static void measure_count(struct sweep *sweep, size_t threads, struct spawn_case cases[KIND_COUNT])
{
    static const char *const names[KIND_COUNT] = {"yield", "barrier"};
    struct pace pace = {.planned = sweep->plan->runs, .deadline_ns = sweep->plan->deadline_ns};
    char what[SPAWN_NAME_SIZE];
    size_t rounds = warm_up(sweep, threads);

    for (size_t kind = 0; kind < KIND_COUNT; kind++) {
        cases[kind] = (struct spawn_case){.unit = "ms",
                                          .unit_ns = NS_PER_MS,
                                          .limit = LIMIT,
                                          .threads = threads,
                                          .rounds = rounds};
        (void)snprintf(cases[kind].name, SPAWN_NAME_SIZE, "%s-%zu", names[kind], threads);
    }
    (void)snprintf(what, sizeof what, "%zu threads", threads);
    while (pace_again(&pace)) {
        progress_show(what, pace.begun - 1, pace.planned);
        (void)lap(sweep, threads, rounds, cases);
    }
    progress_clear();
}

size_t spawn_sweep(const struct spawn_sweep_plan *plan,
                   struct spawn_case cases[SPAWN_SWEEP_CASES_MOST])
{
    struct sweep sweep = {.plan = plan, .generator = {0x7377, 0x6565, 0x7021}};
    size_t filled = 0;

    spawn_stack_open(&sweep.stack, 0);
    for (size_t threads = 1; threads <= plan->most_threads; threads *= 2) {
        measure_count(&sweep, threads, &cases[filled]);
        filled += KIND_COUNT;
    }
    spawn_stack_close(&sweep.stack);
    return filled;
}
