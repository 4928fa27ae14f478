/* SPDX-License-Identifier: MIT */
/* The verdict on recorded times: live ones are a benchmark's matter. */
#include "verdict.h"

#include "kit/test.h"
#include "recorded.h"

#define FEW_RUNS 6

static const struct verdict_facts two_cpus = {.cpus = 2, .slow_path_seen = true};

static struct verdict decide(const double *early, const double *late, size_t runs,
                             struct verdict_facts facts)
{
    struct samples early_samples = {.values = (double *)early, .count = runs};
    struct samples late_samples = {.values = (double *)late, .count = runs};

    return verdict_decide(&early_samples, &late_samples, facts);
}

PAL_TEST(verdict, right_order_against_wrong_is_decided)
{
    struct verdict verdict = decide(right_order, wrong_order, RECORDED_RUNS, two_cpus);

    EXPECT_EQ(verdict.answer, VERDICT_SLOWER);
    EXPECT_GT(verdict.ratio.low, 10.0);
    EXPECT_GT(verdict.cost_ns, 5e6);
    EXPECT_STRHAS(verdict.reason, "the wrong order costs 12");
}

PAL_TEST(verdict, a_large_cost_is_decided_in_few_runs)
{
    EXPECT_EQ(decide(right_order, wrong_order, VERDICT_MIN_RUNS, two_cpus).answer, VERDICT_SLOWER);
}

PAL_TEST(verdict, a_wrong_order_that_is_mostly_fast_is_decided)
{
    struct verdict verdict = decide(right_order, wrong_order_two_modes, RECORDED_RUNS, two_cpus);

    EXPECT_EQ(verdict.answer, VERDICT_SLOWER);
    EXPECT_GT(verdict.ratio.low, VERDICT_THRESHOLD);
}

PAL_TEST(verdict, a_against_a_is_no_difference)
{
    struct verdict verdict = decide(right_order, right_order_again, RECORDED_RUNS, two_cpus);

    EXPECT_EQ(verdict.answer, VERDICT_NO_DIFFERENCE);
    EXPECT_LT(verdict.ratio.low, 1.0);
    EXPECT_LE(verdict.ratio.high, VERDICT_THRESHOLD);
    EXPECT_EQ(decide(right_order, right_order, RECORDED_RUNS, two_cpus).answer,
              VERDICT_NO_DIFFERENCE);
    EXPECT_EQ(decide(wrong_order, wrong_order, RECORDED_RUNS, two_cpus).answer,
              VERDICT_NO_DIFFERENCE);
}

PAL_TEST(verdict, one_processor_cannot_tell)
{
    struct verdict_facts facts = {.cpus = 1, .slow_path_seen = true};
    struct verdict verdict = decide(right_order, wrong_order, RECORDED_RUNS, facts);

    EXPECT_EQ(verdict.answer, VERDICT_CANNOT_TELL);
    EXPECT_STRHAS(verdict.reason, "one processor");
}

/* The process was registered already, by a preload, or the other thread was gone. */
PAL_TEST(verdict, no_slow_path_cannot_tell)
{
    struct verdict_facts facts = {.cpus = 2, .slow_path_seen = false};
    struct verdict same = decide(right_order, right_order_again, RECORDED_RUNS, facts);
    struct verdict slower = decide(right_order, wrong_order, RECORDED_RUNS, facts);

    EXPECT_EQ(same.answer, VERDICT_CANNOT_TELL);
    EXPECT_STRHAS(same.reason, "no slow registration seen on this machine");
    EXPECT_EQ(slower.answer, VERDICT_CANNOT_TELL);
}

PAL_TEST(verdict, too_few_runs_cannot_tell)
{
    struct verdict few = decide(right_order, wrong_order, VERDICT_MIN_RUNS - 1, two_cpus);
    struct verdict none = decide(right_order, wrong_order, 0, two_cpus);
    struct verdict scattered = decide(right_order, right_order_again, FEW_RUNS, two_cpus);

    EXPECT_EQ(few.answer, VERDICT_CANNOT_TELL);
    EXPECT_STRHAS(few.reason, "too few runs");
    EXPECT_EQ(none.answer, VERDICT_CANNOT_TELL);
    EXPECT_EQ(scattered.answer, VERDICT_CANNOT_TELL);
    EXPECT_STRHAS(scattered.reason, "more runs are needed");
}

PAL_TEST(verdict, slow_path_is_seen_in_the_rows_without_the_pal)
{
    struct samples right = {.values = (double *)right_order, .count = RECORDED_RUNS};
    struct samples again = {.values = (double *)right_order_again, .count = RECORDED_RUNS};
    struct samples wrong = {.values = (double *)wrong_order, .count = RECORDED_RUNS};
    struct samples modes = {.values = (double *)wrong_order_two_modes, .count = RECORDED_RUNS};
    struct samples none = {0};

    EXPECT_TRUE(verdict_clearly_slower(&right, &wrong));
    EXPECT_TRUE(verdict_clearly_slower(&right, &modes));
    EXPECT_FALSE(verdict_clearly_slower(&right, &again));
    EXPECT_FALSE(verdict_clearly_slower(&wrong, &right));
    EXPECT_FALSE(verdict_clearly_slower(&none, &none));
}

PAL_TEST(verdict, names)
{
    EXPECT_STREQ(verdict_name(VERDICT_SLOWER), "slower");
    EXPECT_STREQ(verdict_name(VERDICT_NO_DIFFERENCE), "no difference");
    EXPECT_STREQ(verdict_name(VERDICT_CANNOT_TELL), "cannot tell");
}

/* One slow run in six: the ratio is above the threshold, but six other runs may have none. */
PAL_TEST(verdict, a_ratio_that_may_be_chance_cannot_tell)
{
    static const double early[FEW_RUNS] = {10, 10, 10, 10, 10, 10};
    static const double late[FEW_RUNS] = {10, 10, 10, 10, 10, 40};
    struct verdict verdict = decide(early, late, FEW_RUNS, two_cpus);

    EXPECT_EQ(verdict.answer, VERDICT_CANNOT_TELL);
    EXPECT_EQ(verdict.ratio.value, 1.5);
    EXPECT_EQ(verdict.ratio.low, 1.0);
}

/* Both lists have to be long enough. */
PAL_TEST(verdict, too_few_runs_of_either_cannot_tell)
{
    struct samples many = {.values = (double *)right_order, .count = RECORDED_RUNS};
    struct samples few = {.values = (double *)wrong_order, .count = VERDICT_MIN_RUNS - 1};

    EXPECT_EQ(verdict_decide(&many, &few, two_cpus).answer, VERDICT_CANNOT_TELL);
    EXPECT_EQ(verdict_decide(&few, &many, two_cpus).answer, VERDICT_CANNOT_TELL);
    EXPECT_FALSE(verdict_clearly_slower(&many, &few));
}
