/* SPDX-License-Identifier: MIT */
#include "object/pool.h"

#include <pthread.h>

#include "os/memory.h"

#define SLAB_SIZE ((size_t)64 * 1024)

/* Among what is not zero, in a page that is written to anyway: a first thread feels each fault. */
__attribute__((section(".data"))) static pthread_mutex_t pool_lock = PTHREAD_MUTEX_INITIALIZER;

/* Pool lock. */
static void *take_fresh(struct pool *pool)
{
    if ((size_t)(pool->fresh_end - pool->fresh) < pool->item_size) {
        void *slab;
        if (os_memory_map(SLAB_SIZE, &slab) != 0)
            return NULL;
        pool->fresh = slab;
        pool->fresh_end = pool->fresh + SLAB_SIZE;
    }
    void *item = pool->fresh;
    pool->fresh += pool->item_size;
    return item;
}

void *pool_take(struct pool *pool)
{
    pthread_mutex_lock(&pool_lock);
    void *item = pool->free;
    if (item)
        pool->free = pool->free->next;
    else
        item = take_fresh(pool);
    pthread_mutex_unlock(&pool_lock);
    return item;
}

void pool_give(struct pool *pool, void *item)
{
    struct pool_item *freed = item;

    pthread_mutex_lock(&pool_lock);
    freed->next = pool->free;
    pool->free = freed;
    pthread_mutex_unlock(&pool_lock);
}

void pool_before_fork(void)
{
    pthread_mutex_lock(&pool_lock);
}

void pool_after_fork(void)
{
    pthread_mutex_unlock(&pool_lock);
}
