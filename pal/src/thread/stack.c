/* SPDX-License-Identifier: MIT */
#include "thread/stack.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "os/memory.h"
#include "os/native_thread.h"
#include "os/page.h"
#include "thread/roster.h"

/* Signal frames of a processor with wide registers take a good part of less. */
#define SMALLEST ((size_t)64 * 1024)

/* What libc puts there besides thread-local data: its thread descriptor, the first frames. */
#define LIBC_OWN ((size_t)8 * 1024)

/* The upper part of a stack, which most threads use, is not worth a fault next time. */
#define KEPT_WARM ((size_t)64 * 1024)

/* Relaxed: set by an init row; a thread that races with it gets the one or the other. */
static _Atomic size_t default_size = STACK_DEFAULT_SIZE;

static struct {
    unsigned count;                         /* threads lock */
    size_t bytes;                           /* threads lock; of the mappings */
    struct stack stacks[STACK_CACHE_COUNT]; /* threads lock; the newest last */
} cache;

void stack_set_default_size(size_t size)
{
    atomic_store_explicit(&default_size, size ? size : STACK_DEFAULT_SIZE, memory_order_relaxed);
}

/* The size of the mapping; 0: there is no such address space. */
static size_t mapping_size(size_t size)
{
    size_t page = os_page_size();

    if (size == 0)
        size = atomic_load_explicit(&default_size, memory_order_relaxed);
    if (size < SMALLEST)
        size = SMALLEST;
    size_t extra = os_static_tls_size() + LIBC_OWN + page;
    if (size > SIZE_MAX / 2 - extra - page)
        return 0;
    return (size + extra + page - 1) / page * page;
}

/* Threads lock. */
static void forget(unsigned index)
{
    cache.bytes -= cache.stacks[index].size;
    cache.count--;
    memmove(&cache.stacks[index], &cache.stacks[index + 1],
            (cache.count - index) * sizeof cache.stacks[0]);
}

static bool take_cached(size_t size, struct stack *ret_stack)
{
    bool found = false;

    threads_lock();
    for (unsigned i = cache.count; i > 0 && !found; i--)
        if (cache.stacks[i - 1].size == size) {
            *ret_stack = cache.stacks[i - 1];
            forget(i - 1);
            found = true;
        }
    threads_unlock();
    return found;
}

int stack_take(size_t size, struct stack *ret_stack)
{
    void *base;
    size_t mapping = mapping_size(size);

    if (mapping == 0)
        return -ENOMEM;
    if (take_cached(mapping, ret_stack))
        return 0;
    int error = os_stack_map(mapping, os_page_size(), &base);
    if (error == 0)
        *ret_stack = (struct stack){.base = base, .size = mapping};
    return error;
}

/* The stack that has to go so that this one fits; one without a base: none. Threads lock. */
static struct stack make_room_for(struct stack stack)
{
    struct stack oldest = {0};

    if (stack.size > STACK_CACHE_BYTES)
        return stack;
    if (cache.count == STACK_CACHE_COUNT || cache.bytes + stack.size > STACK_CACHE_BYTES) {
        oldest = cache.stacks[0];
        forget(0);
    }
    return oldest;
}

void stack_give(struct stack stack)
{
    struct stack displaced;

    do {
        threads_lock();
        displaced = make_room_for(stack);
        if (!displaced.base) {
            cache.stacks[cache.count++] = stack;
            cache.bytes += stack.size;
        }
        threads_unlock();
        if (displaced.base)
            os_memory_unmap(displaced.base, displaced.size);
    } while (displaced.base && displaced.base != stack.base);
}

void stack_drop_cached(void)
{
    struct stack stack;

    do {
        stack = (struct stack){0};
        threads_lock();
        if (cache.count > 0) {
            stack = cache.stacks[cache.count - 1];
            forget(cache.count - 1);
        }
        threads_unlock();
        if (stack.base)
            os_memory_unmap(stack.base, stack.size);
    } while (stack.base);
}

void *stack_low(struct stack stack)
{
    return stack.base + os_page_size();
}

void *stack_high(struct stack stack)
{
    return stack.base + stack.size;
}

void stack_trim(struct stack stack)
{
    char *low = stack_low(stack);
    char *kept = (char *)stack_high(stack) - os_static_tls_size() - KEPT_WARM;
    char *in_use = (char *)__builtin_frame_address(0) - KEPT_WARM / 2;
    char *limit = kept < in_use ? kept : in_use;

    if (limit > low)
        os_memory_drop(low, (size_t)(limit - low) / os_page_size() * os_page_size());
}
