/* SPDX-License-Identifier: MIT */
/*
 * Type-stable memory: what was an item of a pool once is an item of it for ever, in use or not. A
 * thread that holds a stale pointer to an item may therefore still read the item's atomic fields,
 * and find out from them that it came too late. Nothing goes back to the system; free items are
 * used again.
 */
#ifndef OBJECT_POOL_H
#define OBJECT_POOL_H

#include <stddef.h>

/* The first member of every item; the pool's, while the item is free. */
struct pool_item {
    struct pool_item *next; /* pool lock */
};

struct pool {
    size_t item_size;       /* read-only; a multiple of the item's alignment */
    char *fresh;            /* pool lock; memory that has never been an item */
    char *fresh_end;        /* pool lock */
    struct pool_item *free; /* pool lock */
};

/* The items that a program needs which has few: no mapping for them, no page until it is touched.
 */
#define POOL(name, type, count)                                                                    \
    static _Alignas(type) char name##_memory[(count) * sizeof(type)];                              \
    static struct pool name = {                                                                    \
        .item_size = sizeof(type),                                                                 \
        .fresh = name##_memory,                                                                    \
        .fresh_end = name##_memory + sizeof name##_memory,                                         \
    }

/* An item: zero when it is new, else as it was when it was given back. NULL: no memory. */
void *pool_take(struct pool *pool);
void pool_give(struct pool *pool, void *item);

/* Around fork: the pool lock, which all pools share. */
void pool_before_fork(void);
void pool_after_fork(void);

#endif
