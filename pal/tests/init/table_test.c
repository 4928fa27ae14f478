/* SPDX-License-Identifier: MIT */
/* The init table is in an order that works, and the declarations it is judged by are true. */
#include "init/table.h"

#include <pal/error.h>
#include <signal.h>
#include <string.h>

#include "kit/child.h"
#include "kit/test.h"
#include "os/native_thread.h"
#include "thread/flush.h"
#include "thread/flush_choice.h"

/* What is wrong with an order, or NULL. */
static const char *fault_of(const enum init_row_id order[INIT_ROW_COUNT])
{
    unsigned up = 0;
    bool threads = false;

    for (int i = 0; i < INIT_ROW_COUNT; i++) {
        const struct init_row *row = &init_table[order[i]];
        if ((row->needs & up) != row->needs)
            return "a row uses what a later one sets";
        if (row->wants_one_thread && threads)
            return "a row that wants a single thread comes after one that starts a thread";
        threads |= row->starts_thread;
        up |= INIT_BIT(order[i]);
    }
    return up == INIT_BIT(INIT_ROW_COUNT) - 1 ? NULL : "a row is missing";
}

PAL_TEST(init_table, order_is_right)
{
    EXPECT_EQ((const void *)fault_of(init_order), NULL);
}

/* The control: the same check catches the wrong order, and one with a need unmet. */
PAL_TEST(init_table, wrong_orders_are_caught)
{
    enum init_row_id order[INIT_ROW_COUNT];

    EXPECT_STREQ(fault_of(init_order_worker_first),
                 "a row that wants a single thread comes after one that starts a thread");

    /* As in CoreCLR's own fix: the fallback asked for the page size before the row that knew. */
    memcpy(order, init_order, sizeof order);
    order[0] = INIT_FLUSH;
    order[INIT_FLUSH] = INIT_SYSTEM;
    EXPECT_STREQ(fault_of(order), "a row uses what a later one sets");

    memcpy(order, init_order, sizeof order);
    order[INIT_WORKER] = INIT_SYSTEM;
    EXPECT_STREQ(fault_of(order), "a row is missing");
}

PAL_TEST(init_table, codes_and_names_are_distinct)
{
    for (int i = 0; i < INIT_ROW_COUNT; i++) {
        EXPECT_NE(init_table[i].error, ERROR_SUCCESS);
        for (int j = 0; j < i; j++) {
            EXPECT_NE(init_table[i].error, init_table[j].error);
            EXPECT_STRNE(init_table[i].name, init_table[j].name);
        }
    }
}

static unsigned needs_of(unsigned rows)
{
    unsigned before;

    do {
        before = rows;
        for (int i = 0; i < INIT_ROW_COUNT; i++)
            if (rows & INIT_BIT(i))
                rows |= init_table[i].needs;
    } while (rows != before);
    return rows;
}

struct walk {
    unsigned rows;
    int wish;
};

/* Initialises just these rows, in order, then undoes them. */
static void walk_rows(void *arg)
{
    const struct walk *walk = arg;
    struct init_context context = {
        .environment = {.flush_wish = walk->wish},
        .threads = os_other_threads(),
    };

    for (int i = 0; i < INIT_ROW_COUNT; i++)
        if (walk->rows & INIT_BIT(init_order[i]))
            ASSERT_EQ(init_table[init_order[i]].init(&context), 0);
    if (walk->rows & INIT_BIT(INIT_FLUSH))
        EXPECT_TRUE(flush_process_write_buffers());
    for (int i = INIT_ROW_COUNT - 1; i >= 0; i--)
        if ((walk->rows & INIT_BIT(init_order[i])) && init_table[init_order[i]].fini)
            init_table[init_order[i]].fini();
}

/* Each row runs with no more than the rows that it says it needs: the declarations are complete. */
PAL_TEST(init_table, needs_are_complete)
{
    static const int wishes[] = {FLUSH_WISH_AUTO, PAL_FLUSH_METHOD_MPROTECT, PAL_FLUSH_METHOD_NONE};

    for (int i = 0; i < INIT_ROW_COUNT; i++)
        for (size_t w = 0; w < sizeof wishes / sizeof *wishes; w++) {
            struct walk walk = {needs_of(INIT_BIT(i)), wishes[w]};
            struct kit_child_result result = kit_run_child(walk_rows, &walk);
            EXPECT_CHILD_OK(result);
        }
}

/* The control: the flush row by mprotect without the row that knows the page size. */
PAL_TEST(init_table, missing_need_is_caught)
{
    struct walk walk = {INIT_BIT(INIT_FLUSH), PAL_FLUSH_METHOD_MPROTECT};
    struct kit_child_result result = kit_run_child(walk_rows, &walk);

    EXPECT_EQ(result.signal, SIGABRT);
    EXPECT_STRHAS(result.output, "the page size was used before it was known");
}
