/* SPDX-License-Identifier: MIT */
/* How many rounds are made: as planned, or, past the limit, one of each kind. */
#include "flush_impls.h"
#include "flush_measure.h"
#include "flush_raw.h"
#include "kit/test.h"
#include "startup_run.h"

static char *hello_argv[] = {"sh", "-c", ":", NULL};
static char *told_argv[] = {"sh", "-c", "echo '{\"init_ns\":1000}' >&2", NULL};

static struct startup_rows one_row(void)
{
    struct startup_rows rows = {.count = 1};

    rows.row[0] = (struct startup_row){
        .name = "row", .path = "/bin/sh", .argv = hello_argv, .in_process_argv = told_argv};
    rows.floor =
        (struct startup_row){.name = "floor", .path = "/bin/sh", .in_process_argv = told_argv};
    return rows;
}

static void free_rows(struct startup_rows *rows)
{
    samples_free(&rows->row[0].wall_ns);
    samples_free(&rows->row[0].init_ns);
    samples_free(&rows->floor.init_ns);
}

PAL_TEST(deadline, startup_without_a_limit)
{
    struct startup_rows rows = one_row();
    struct startup_plan plan = {.warmup = 1, .rounds = 3};

    startup_run(&rows, &plan);
    EXPECT_EQ(rows.row[0].wall_ns.count, 3u);
    EXPECT_EQ(rows.row[0].init_ns.count, 3u);
    EXPECT_EQ(rows.row[0].init_ns.values[2], 1000.0);
    EXPECT_EQ(rows.floor.init_ns.count, 3u);
    free_rows(&rows);
}

/* A limit of a nanosecond is over before the second round, whatever the machine. */
PAL_TEST(deadline, startup_past_its_limit)
{
    struct startup_rows rows = one_row();
    struct startup_plan plan = {.warmup = 1, .rounds = 50, .limit_ns = 1};

    startup_run(&rows, &plan);
    EXPECT_EQ(rows.row[0].wall_ns.count, 1u);
    EXPECT_EQ(rows.row[0].init_ns.count, 1u);
    EXPECT_EQ(rows.floor.init_ns.count, 1u);
    free_rows(&rows);
}

static size_t flush_rounds(uint64_t limit_ns)
{
    static struct flush_figures figures[IMPL_COUNT];
    struct flush_case alone = {.name = "alone"};
    struct flush_plan plan = {.rounds = 5, .limit_ns = limit_ns};

    CPU_SET(0, &plan.cpus);
    plan.wanted[IMPL_RAW_MEMBARRIER] = true;
    flush_measure(&alone, &plan, figures);
    size_t rounds = figures[IMPL_RAW_MEMBARRIER].block_medians.count;
    EXPECT_EQ(figures[IMPL_RAW_MEMBARRIER].ns.count,
              rounds * flush_impls[IMPL_RAW_MEMBARRIER].calls);
    for (size_t i = 0; i < IMPL_COUNT; i++) {
        if (i != IMPL_RAW_MEMBARRIER)
            EXPECT_EQ(figures[i].ns.count, 0u); /* nobody wanted it */
        samples_free(&figures[i].ns);
        samples_free(&figures[i].block_medians);
    }
    return rounds;
}

PAL_TEST(deadline, flush)
{
    SKIP_UNLESS(flush_raw_open_membarrier() == 0, "no membarrier here");
    EXPECT_EQ(flush_rounds(UINT64_MAX / 2), 5u);
    EXPECT_EQ(flush_rounds(1), 1u);
}
