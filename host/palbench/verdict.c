/* SPDX-License-Identifier: MIT */
/*
 * The statistic is the mean without the outer tenths, not the median: a late registration that
 * finds the other thread gone, or a grace period about to end, is fast. A wrong order that is slow
 * in four runs of ten has the same median as the right one.
 */
#include "verdict.h"

#include <stdio.h>
#include <stdlib.h>

#define NS_PER_MS 1e6

static double trimmed_mean(const struct samples *samples)
{
    double *sorted = samples_sorted(samples->values, samples->count);
    double mean = samples_trimmed_mean(sorted, samples->count);
    free(sorted);
    return mean;
}

static bool enough(const struct samples *early, const struct samples *late)
{
    return early->count >= VERDICT_MIN_RUNS && late->count >= VERDICT_MIN_RUNS;
}

bool verdict_clearly_slower(const struct samples *early, const struct samples *late)
{
    return enough(early, late) && ratio_of_trimmed_means(late, early).low > VERDICT_THRESHOLD;
}

/* Sets the answer and, like printf, the reason. */
#define CONCLUDE(verdict, its_answer, ...)                                                         \
    ((verdict)->answer = (its_answer),                                                             \
     (void)snprintf((verdict)->reason, sizeof(verdict)->reason, __VA_ARGS__))

static void compare(struct verdict *verdict, const struct samples *early,
                    const struct samples *late)
{
    struct ratio ratio = ratio_of_trimmed_means(late, early);

    verdict->ratio = ratio;
    verdict->cost_ns = trimmed_mean(late) - trimmed_mean(early);
    if (ratio.low > VERDICT_THRESHOLD)
        CONCLUDE(verdict, VERDICT_SLOWER,
                 "the wrong order costs %.2f ms a start (%.2f times the right one, 95%% interval "
                 "%.2f to %.2f)",
                 verdict->cost_ns / NS_PER_MS, ratio.value, ratio.low, ratio.high);
    else if (ratio.high <= VERDICT_THRESHOLD)
        CONCLUDE(verdict, VERDICT_NO_DIFFERENCE,
                 "the wrong order takes %.2f times the right one (95%% interval %.2f to %.2f)",
                 ratio.value, ratio.low, ratio.high);
    else
        CONCLUDE(verdict, VERDICT_CANNOT_TELL,
                 "the 95%% interval of the ratio, %.2f to %.2f, holds %.2f: more runs are needed",
                 ratio.low, ratio.high, VERDICT_THRESHOLD);
}

struct verdict verdict_decide(const struct samples *early, const struct samples *late,
                              struct verdict_facts facts)
{
    struct verdict verdict = {0};

    if (facts.cpus < 2)
        CONCLUDE(&verdict, VERDICT_CANNOT_TELL,
                 "one processor: whether the other thread is alive by then is chance");
    else if (!enough(early, late))
        CONCLUDE(&verdict, VERDICT_CANNOT_TELL, "too few runs: at least %d are needed",
                 VERDICT_MIN_RUNS);
    else if (!facts.slow_path_seen)
        CONCLUDE(&verdict, VERDICT_CANNOT_TELL, "no slow registration seen on this machine");
    else
        compare(&verdict, early, late);
    return verdict;
}

const char *verdict_name(enum verdict_answer answer)
{
    static const char *const names[] = {
        [VERDICT_SLOWER] = "slower",
        [VERDICT_NO_DIFFERENCE] = "no difference",
        [VERDICT_CANNOT_TELL] = "cannot tell",
    };
    return names[answer];
}
