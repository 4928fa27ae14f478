/* SPDX-License-Identifier: MIT */
/* What palbench makes of figures for a reader, and the order that it takes things in. */
#include <stdlib.h>
#include <string.h>

#include "histogram.h"
#include "kit/test.h"
#include "shuffle.h"
#include "table.h"

/* The tests run in the C locale: what ASCII has. */
static void expect_ns(double ns, const char *expected)
{
    char text[24];

    text_ns(text, sizeof text, ns);
    EXPECT_STREQ(text, expected);
}

PAL_TEST(text, time_in_the_unit_that_suits_it)
{
    expect_ns(0, "0 ns");
    expect_ns(999, "999 ns");
    expect_ns(1000, "1.00 us");
    expect_ns(15640, "15.64 us");
    expect_ns(1e6, "1.00 ms");
    expect_ns(10.01e6, "10.01 ms");
}

PAL_TEST(text, table_is_aligned)
{
    struct table table = {.columns = 2};
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);

    ASSERT_TRUE(stream != NULL);
    table_add(&table, "ms");
    table_add(&table, "median");
    table_add(&table, "gr\u00fcn");
    table_add(&table, "%d", 7);
    for (int i = 0; i < 20; i++) { /* it grows */
        table_add(&table, "row");
        table_add(&table, "%d", i);
    }
    table_print(&table, stream);
    ASSERT_EQ(fclose(stream), 0);
    EXPECT_EQ(strncmp(text, "ms    median\ngr\u00fcn       7\nrow        0\n", 40), 0);
    EXPECT_STRHAS(text, "\nrow       19\n");
    table_free(&table);
    free(text);
}

static struct samples view(const double *values, size_t count)
{
    return (struct samples){.values = (double *)values, .count = count};
}

PAL_TEST(histogram, axis_holds_all_samples)
{
    static const double few[] = {20, 10, 40};
    static const double more[] = {15, 80};
    struct samples first = view(few, 3);
    struct samples second = view(more, 2);
    struct histogram_axis axis = {0};

    histogram_fit(&axis, &first);
    EXPECT_EQ(axis.least, 10.0);
    EXPECT_EQ(axis.most, 40.0);
    histogram_fit(&axis, &second);
    EXPECT_EQ(axis.least, 10.0);
    EXPECT_EQ(axis.most, 80.0);
}

/* Logarithmic: 10 lies in the middle between 1 and 100. The greatest value is in the last bin. */
PAL_TEST(histogram, bins_by_the_logarithm)
{
    static const double values[] = {1, 10, 10, 10, 10, 10, 10, 10, 10, 100};
    struct samples samples = view(values, sizeof values / sizeof *values);
    struct histogram_axis axis = {0};
    char text[HISTOGRAM_TEXT_SIZE];

    histogram_fit(&axis, &samples);
    histogram_draw(&axis, &samples, text);
    ASSERT_EQ(strlen(text), (size_t)HISTOGRAM_BINS);
    EXPECT_EQ(text[0], '.'); /* one of eight: the lowest that shows */
    EXPECT_EQ(text[HISTOGRAM_BINS / 2], '@');
    EXPECT_EQ(text[HISTOGRAM_BINS - 1], '.');
    for (int i = 0; i < HISTOGRAM_BINS; i++)
        if (i != 0 && i != HISTOGRAM_BINS / 2 && i != HISTOGRAM_BINS - 1)
            EXPECT_EQ(text[i], ' ');
}

PAL_TEST(histogram, of_equal_samples)
{
    static const double values[] = {5, 5};
    struct samples samples = view(values, 2);
    struct histogram_axis axis = {0};
    char text[HISTOGRAM_TEXT_SIZE];

    histogram_fit(&axis, &samples);
    histogram_draw(&axis, &samples, text);
    EXPECT_EQ(text[0], '@');
}

enum { ITEMS = 5, ROUNDS = 200 };

/* Each round has them all, and each of them comes first now and then, and last. */
PAL_TEST(shuffle, each_comes_once_and_anywhere)
{
    unsigned short generator[3] = {1, 2, 3};
    int first[ITEMS] = {0};
    int last[ITEMS] = {0};

    for (int round = 0; round < ROUNDS; round++) {
        size_t order[ITEMS];
        unsigned seen = 0;
        shuffle(order, ITEMS, generator);
        for (int i = 0; i < ITEMS; i++) {
            ASSERT_LT(order[i], (size_t)ITEMS);
            seen |= 1u << order[i];
        }
        EXPECT_EQ(seen, (1u << ITEMS) - 1);
        first[order[0]]++;
        last[order[ITEMS - 1]]++;
    }
    for (int i = 0; i < ITEMS; i++) {
        EXPECT_GE(first[i], ROUNDS / ITEMS / 2);
        EXPECT_GE(last[i], ROUNDS / ITEMS / 2);
    }
}
