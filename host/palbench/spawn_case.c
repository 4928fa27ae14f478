/* SPDX-License-Identifier: MIT */
#include "spawn_case.h"

#include <math.h>

void spawn_case_end_block(struct spawn_case *spawn_case, enum spawn_impl_id impl, size_t first)
{
    struct spawn_figures *figures = &spawn_case->figures[impl];

    samples_add(&figures->block_medians,
                samples_stats(figures->ns.values + first, figures->ns.count - first).median);
}

void spawn_case_add(struct spawn_case *spawn_case, enum spawn_impl_id impl, double ns)
{
    struct samples *all = &spawn_case->figures[impl].ns;

    samples_add(all, fmax(ns, 1)); /* ratios want values above 0 */
    spawn_case_end_block(spawn_case, impl, all->count - 1);
}

void spawn_case_free(struct spawn_case *spawn_case)
{
    for (size_t i = 0; i < SPAWN_IMPL_COUNT; i++) {
        samples_free(&spawn_case->figures[i].ns);
        samples_free(&spawn_case->figures[i].block_medians);
    }
}

struct ratio spawn_case_ratio(const struct spawn_case *spawn_case)
{
    return ratio_of_medians(&spawn_case->figures[SPAWN_PAL].block_medians,
                            &spawn_case->figures[SPAWN_PTHREAD].block_medians);
}

const char *spawn_case_answer(const struct spawn_case *spawn_case, const struct ratio *ratio)
{
    if (ratio->low > spawn_case->limit)
        return "above";
    return ratio->high <= spawn_case->limit ? "below" : "around";
}

double spawn_case_share_ns(const struct spawn_case *spawn_case, enum spawn_impl_id impl)
{
    const struct samples *ns = &spawn_case->figures[impl].ns;

    return samples_stats(ns->values, ns->count).median /
           (double)(spawn_case->threads * spawn_case->rounds);
}
