/* SPDX-License-Identifier: MIT */
#include "samples.h"

#include <stdlib.h>

#include "kit/test.h"
#include "ratio.h"
#include "recorded.h"

#define CLOSE 1e-9
#define EXPECT_NEAR(a, b)                                                                          \
    do {                                                                                           \
        EXPECT_LT((a) - (b), CLOSE);                                                               \
        EXPECT_GT((a) - (b), -CLOSE);                                                              \
    } while (0)

static struct samples view(const double *values, size_t count)
{
    return (struct samples){.values = (double *)values, .count = count};
}

PAL_TEST(samples, keep_their_order_while_growing)
{
    struct samples samples = {0};

    for (int i = 0; i < 1000; i++)
        samples_add(&samples, 1000 - i);
    ASSERT_EQ(samples.count, 1000u);
    EXPECT_EQ(samples.values[0], 1000.0);
    EXPECT_EQ(samples.values[999], 1.0);
    samples_free(&samples);
    EXPECT_EQ(samples.count, 0u);
}

PAL_TEST(samples, statistics_of_a_known_list)
{
    static const double values[] = {4, 2, 5, 4, 9, 7, 4, 5};
    struct samples_stats stats = samples_stats(values, 8);

    EXPECT_EQ(stats.min, 2.0);
    EXPECT_EQ(stats.max, 9.0);
    EXPECT_NEAR(stats.median, 4.5);
    EXPECT_NEAR(stats.mean, 5.0);
    EXPECT_NEAR(stats.stddev * stats.stddev, 32.0 / 7);
    EXPECT_NEAR(stats.p95, 7 + 0.65 * 2); /* position 6.65 of the sorted values */
    EXPECT_EQ(values[0], 4.0);            /* the caller's list is left as it was */
}

PAL_TEST(samples, statistics_of_a_single_value)
{
    static const double value[] = {3};
    struct samples_stats stats = samples_stats(value, 1);

    EXPECT_EQ(stats.min, 3.0);
    EXPECT_EQ(stats.median, 3.0);
    EXPECT_EQ(stats.p99, 3.0);
    EXPECT_EQ(stats.max, 3.0);
    EXPECT_EQ(stats.stddev, 0.0);
}

PAL_TEST(samples, median_of_an_odd_number_is_one_of_them)
{
    static const double values[] = {30, 10, 20};

    EXPECT_EQ(samples_stats(values, 3).median, 20.0);
}

PAL_TEST(samples, trimmed_mean_drops_a_tenth_at_each_end)
{
    static const double values[] = {0, 1, 1, 1, 1, 3, 3, 3, 3, 1000};

    EXPECT_NEAR(samples_trimmed_mean(values, 10), 2.0);
    EXPECT_NEAR(samples_trimmed_mean(values, 3), 2.0 / 3); /* too few to drop any */
}

PAL_TEST(samples, two_modes_show_in_the_mean_and_not_in_the_median)
{
    struct samples_stats right = samples_stats(right_order, RECORDED_RUNS);
    struct samples_stats wrong = samples_stats(wrong_order_two_modes, RECORDED_RUNS);

    EXPECT_LT(wrong.median, 1.5 * right.median);
    EXPECT_GT(wrong.mean, 4 * right.mean);
}

PAL_TEST(ratio, of_a_list_with_itself_is_one)
{
    struct samples samples = view(right_order, RECORDED_RUNS);
    struct ratio ratio = ratio_of_medians(&samples, &samples);

    EXPECT_EQ(ratio.value, 1.0);
    EXPECT_LT(ratio.low, 1.0);
    EXPECT_GT(ratio.high, 1.0);
}

PAL_TEST(ratio, interval_holds_the_value_and_is_the_same_again)
{
    struct samples wrong = view(wrong_order, RECORDED_RUNS);
    struct samples right = view(right_order, RECORDED_RUNS);
    struct ratio first = ratio_of_medians(&wrong, &right);
    struct ratio second = ratio_of_medians(&wrong, &right);

    EXPECT_GT(first.low, 10.0);
    EXPECT_LT(first.low, first.value);
    EXPECT_LT(first.value, first.high);
    EXPECT_EQ(first.low, second.low);
    EXPECT_EQ(first.high, second.high);
}

PAL_TEST(ratio, of_lists_of_unlike_length)
{
    static const double two[] = {2};
    static const double ones[] = {1, 1, 1};
    struct samples numerator = view(two, 1);
    struct samples denominator = view(ones, 3);
    struct ratio ratio = ratio_of_trimmed_means(&numerator, &denominator);

    EXPECT_EQ(ratio.value, 2.0);
    EXPECT_EQ(ratio.low, 2.0);
    EXPECT_EQ(ratio.high, 2.0);
}

/* Nine intervals in ten at least hold the true ratio, which is 1 between halves of one list. */
PAL_TEST(ratio, interval_is_as_sure_as_it_says)
{
    enum { SPLITS = 200, HALF = RECORDED_RUNS / 2 };
    unsigned short generator[3] = {1, 2, 3};
    double shuffled[RECORDED_RUNS];
    int held = 0;

    for (int split = 0; split < SPLITS; split++) {
        for (size_t i = 0; i < RECORDED_RUNS; i++) {
            size_t j = (size_t)nrand48(generator) % (i + 1);
            shuffled[i] = shuffled[j];
            shuffled[j] = right_order[i];
        }
        struct samples left = view(shuffled, HALF);
        struct samples right = view(shuffled + HALF, HALF);
        struct ratio ratio = ratio_of_medians(&left, &right);
        held += ratio.low <= 1 && ratio.high >= 1;
    }
    EXPECT_GE(held, SPLITS * 9 / 10);
}

PAL_TEST(samples, quantiles_of_a_hundred_and_one_values)
{
    double values[101];

    for (int i = 0; i <= 100; i++)
        values[i] = 100 - i;
    struct samples_stats stats = samples_stats(values, 101);
    EXPECT_NEAR(stats.median, 50.0);
    EXPECT_NEAR(stats.p95, 95.0);
    EXPECT_NEAR(stats.p99, 99.0);
}
