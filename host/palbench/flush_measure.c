/* SPDX-License-Identifier: MIT */
#include "flush_measure.h"

#include <math.h>

#include "clock.h"
#include "flush_threads.h"
#include "progress.h"
#include "shuffle.h"

#define TIMER_CALLS 10000

double flush_measure_timer(void)
{
    struct samples samples = {0};

    for (size_t i = 0; i < TIMER_CALLS; i++) {
        uint64_t begin = clock_now_ns();
        samples_add(&samples, (double)(clock_now_ns() - begin));
    }
    double median = samples_stats(samples.values, samples.count).median;
    samples_free(&samples);
    return median;
}

static void time_block(const struct flush_impl *impl, double timer_ns,
                       struct flush_figures *figures)
{
    size_t first = figures->ns.count;

    flush_impl_prepare(impl);
    for (size_t i = 0; i < impl->warmup; i++)
        impl->flush();
    for (size_t i = 0; i < impl->calls; i++) {
        uint64_t begin = clock_now_ns();
        impl->flush();
        uint64_t end = clock_now_ns();
        samples_add(&figures->ns, fmax((double)(end - begin) - timer_ns, 1));
    }
    samples_add(&figures->block_medians,
                samples_stats(figures->ns.values + first, impl->calls).median);
}

/* Each round has its own order, so that none always follows the same other one. */
static void time_round(const struct flush_plan *plan, unsigned short generator[3],
                       struct flush_figures figures[IMPL_COUNT])
{
    size_t order[IMPL_COUNT];

    shuffle(order, IMPL_COUNT, generator);
    for (size_t i = 0; i < IMPL_COUNT; i++)
        if (plan->wanted[order[i]])
            time_block(&flush_impls[order[i]], plan->timer_ns, &figures[order[i]]);
}

void flush_measure(const struct flush_case *flush_case, const struct flush_plan *plan,
                   struct flush_figures figures[IMPL_COUNT])
{
    unsigned short generator[3] = {0x666c, 0x7573, 0x6821};
    uint64_t case_begin = clock_now_ns();
    uint64_t longest = 0;

    flush_threads_start(flush_case->spinning, flush_case->sleeping, &plan->cpus);
    for (size_t done = 0; done < plan->rounds; done++) {
        uint64_t begin = clock_now_ns();
        if (done > 0 && begin - case_begin + longest > plan->limit_ns)
            break;
        progress_show(flush_case->name, done, plan->rounds);
        time_round(plan, generator, figures);
        uint64_t took = clock_now_ns() - begin;
        if (took > longest)
            longest = took;
    }
    flush_threads_stop();
    progress_clear();
}
