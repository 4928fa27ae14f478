/* SPDX-License-Identifier: MIT */
#include "object/pool.h"

#include <errno.h>
#include <stdint.h>

#include "kit/fault.h"
#include "kit/test.h"

struct item {
    struct pool_item item;
    long payload[12];
};

POOL(pool, struct item, 8);

enum { MANY = 2000 }; /* several slabs */

PAL_TEST(pool, the_first_items_need_no_mapping)
{
    for (int i = 0; i < 8; i++)
        EXPECT_NE(pool_take(&pool), NULL);
    EXPECT_EQ(kit_fault_calls(OS_CALL_MEMORY_MAP), 0);
    EXPECT_NE(pool_take(&pool), NULL);
    EXPECT_EQ(kit_fault_calls(OS_CALL_MEMORY_MAP), 1);
}

PAL_TEST(pool, items_do_not_overlap_and_are_zero)
{
    static struct item *items[MANY];

    for (int i = 0; i < MANY; i++) {
        items[i] = pool_take(&pool);
        ASSERT_NE((void *)items[i], NULL);
        EXPECT_EQ((uintptr_t)items[i] % _Alignof(struct item), 0u);
        EXPECT_EQ(items[i]->payload[0] | items[i]->payload[11], 0);
        items[i]->payload[0] = items[i]->payload[11] = i + 1;
    }
    for (int i = 0; i < MANY; i++) {
        EXPECT_EQ(items[i]->payload[0], i + 1);
        EXPECT_EQ(items[i]->payload[11], i + 1);
    }
}

PAL_TEST(pool, free_items_are_used_again_as_they_were)
{
    struct item *first = pool_take(&pool);
    struct item *second = pool_take(&pool);

    first->payload[0] = 1;
    second->payload[0] = 2;
    pool_give(&pool, first);
    pool_give(&pool, second);
    struct item *again = pool_take(&pool);
    EXPECT_EQ((void *)again, (void *)second);
    EXPECT_EQ(again->payload[0], 2);
    again = pool_take(&pool);
    EXPECT_EQ((void *)again, (void *)first);
    EXPECT_EQ(again->payload[0], 1);
}

PAL_TEST(pool, without_memory_there_is_none_until_there_is)
{
    for (int i = 0; i < 8; i++)
        (void)pool_take(&pool);
    kit_fault(OS_CALL_MEMORY_MAP, 0, 1, ENOMEM);
    EXPECT_EQ(pool_take(&pool), NULL);
    EXPECT_NE(pool_take(&pool), NULL);
}
