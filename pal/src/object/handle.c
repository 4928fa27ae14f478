/* SPDX-License-Identifier: MIT */
#include "object/handle.h"

#include <pthread.h>

#include "os/memory.h"

/*
 * A handle's bits, from below: two that are ignored, the index, the generation, and a zero, which
 * keeps handles apart from the pseudo-handles and INVALID_HANDLE_VALUE.
 */
#if UINTPTR_MAX > UINT32_MAX
#define INDEX_BITS 24
#define INDEX_SHIFT 2
#define GENERATION_BITS 31
#define GENERATION_SHIFT 32
#else
#define INDEX_BITS 20
#define INDEX_SHIFT 2
#define GENERATION_BITS 9
#define GENERATION_SHIFT 22
#endif
#define IGNORED_BITS ((uintptr_t)3)
#define INDEX_MASK ((UINT32_C(1) << INDEX_BITS) - 1)
#define GENERATION_MASK ((UINT32_C(1) << GENERATION_BITS) - 1)

/* The pseudo-handles; -4 would be INVALID_HANDLE_VALUE once its low bits are ignored. */
#define CURRENT_PROCESS ((uintptr_t)-8)
#define CURRENT_THREAD ((uintptr_t)-12)

#define CHUNK_SLOTS 4096u
#define CHUNK_COUNT ((1u << INDEX_BITS) / CHUNK_SLOTS)

/* So many closed slots rest before one is used again: where generations are few, they last. */
#define RESTING_SLOTS 256u

struct slot {
    _Atomic uint32_t generation;   /* handle lock to change */
    uint32_t next_free;            /* handle lock; 0: none */
    struct object *_Atomic object; /* handle lock to change; NULL: closed */
};

/* Zero to begin with; a program that opens few handles touches the beginning only. */
static struct {
    pthread_mutex_t lock;
    uint32_t used;        /* handle lock; slots that were ever open, from 1 on: NULL is no handle */
    uint32_t oldest_free; /* handle lock; closed slots queue up, first come first served */
    uint32_t newest_free; /* handle lock */
    uint32_t free_count;  /* handle lock */
    struct slot first_chunk[CHUNK_SLOTS];
    struct slot *_Atomic chunks[CHUNK_COUNT]; /* handle lock to change; set once; but the first */
} table;

/* The slot of an index that may be anything; NULL: there is none yet. */
static struct slot *slot_at(uint32_t index)
{
    if (index < CHUNK_SLOTS)
        return &table.first_chunk[index];
    struct slot *chunk =
        atomic_load_explicit(&table.chunks[index / CHUNK_SLOTS], memory_order_acquire);
    return chunk ? &chunk[index % CHUNK_SLOTS] : NULL;
}

/* A handle is a number that has the type of a pointer. */
static HANDLE handle_of(uintptr_t bits)
{
    return (HANDLE)bits; /* NOLINT(performance-no-int-to-ptr) */
}

static HANDLE make_handle(uint32_t index, uint32_t generation)
{
    return handle_of(((uintptr_t)(generation & GENERATION_MASK) << GENERATION_SHIFT) |
                     ((uintptr_t)index << INDEX_SHIFT));
}

/* The slot that the handle names, and the generation it claims; NULL: no such slot. */
static struct slot *slot_of(HANDLE handle, uint32_t *ret_generation)
{
    uintptr_t bits = (uintptr_t)handle;
    uint32_t index = (uint32_t)(bits >> INDEX_SHIFT) & INDEX_MASK;

    *ret_generation = (uint32_t)(bits >> GENERATION_SHIFT);
    /* What make_handle would not make: a bit between index and generation, or the top one. */
    if ((bits & ~IGNORED_BITS) != (uintptr_t)make_handle(index, *ret_generation))
        return NULL;
    return slot_at(index);
}

static bool has_generation(struct slot *slot, uint32_t generation)
{
    uint32_t current = atomic_load_explicit(&slot->generation, memory_order_acquire);
    return (current & GENERATION_MASK) == generation;
}

/* Handle lock. */
static bool have_chunk_for(uint32_t index)
{
    void *chunk;

    if (index > INDEX_MASK)
        return false;
    if (slot_at(index))
        return true;
    if (os_memory_map(CHUNK_SLOTS * sizeof(struct slot), &chunk) != 0)
        return false;
    /* Pairs with slot_at: who sees the chunk sees its zeros. */
    atomic_store_explicit(&table.chunks[index / CHUNK_SLOTS], chunk, memory_order_release);
    return true;
}

/* Handle lock. The index of a closed slot, or 0: there is none, nor memory for one. */
static uint32_t take_slot(void)
{
    bool rested = table.free_count > RESTING_SLOTS;

    if (!rested && have_chunk_for(table.used + 1))
        return ++table.used;
    uint32_t index = table.oldest_free;
    if (index != 0) {
        table.oldest_free = slot_at(index)->next_free;
        table.free_count--;
    }
    return index;
}

/* Handle lock. */
static void give_slot(uint32_t index)
{
    slot_at(index)->next_free = 0;
    if (table.free_count++ == 0)
        table.oldest_free = index;
    else
        slot_at(table.newest_free)->next_free = index;
    table.newest_free = index;
}

HANDLE handle_current_process(void)
{
    return handle_of(CURRENT_PROCESS);
}

HANDLE handle_current_thread(void)
{
    return handle_of(CURRENT_THREAD);
}

bool handle_is_current_process(HANDLE handle)
{
    return ((uintptr_t)handle & ~IGNORED_BITS) == CURRENT_PROCESS;
}

bool handle_is_current_thread(HANDLE handle)
{
    return ((uintptr_t)handle & ~IGNORED_BITS) == CURRENT_THREAD;
}

PAL_ERROR handle_open(struct object *object, HANDLE *ret_handle)
{
    pthread_mutex_lock(&table.lock);
    uint32_t index = take_slot();
    if (index != 0) {
        struct slot *slot = slot_at(index);
        *ret_handle =
            make_handle(index, atomic_load_explicit(&slot->generation, memory_order_relaxed));
        /*
         * Pairs with the acquire in handle_reference: who reads this object there reads this
         * generation afterwards, or a later one.
         */
        atomic_store_explicit(&slot->object, object, memory_order_release);
    }
    pthread_mutex_unlock(&table.lock);
    return index != 0 ? ERROR_SUCCESS : ERROR_NOT_ENOUGH_MEMORY;
}

PAL_ERROR handle_close(HANDLE handle)
{
    uint32_t generation;
    struct slot *slot = slot_of(handle, &generation);
    struct object *object = NULL;

    if (!slot)
        return ERROR_INVALID_HANDLE;
    pthread_mutex_lock(&table.lock);
    if (has_generation(slot, generation))
        object = atomic_load_explicit(&slot->object, memory_order_relaxed);
    if (object) {
        atomic_store_explicit(&slot->object, NULL, memory_order_relaxed);
        atomic_fetch_add_explicit(&slot->generation, 1, memory_order_relaxed);
        give_slot((uint32_t)((uintptr_t)handle >> INDEX_SHIFT) & INDEX_MASK);
    }
    pthread_mutex_unlock(&table.lock);
    if (!object)
        return ERROR_INVALID_HANDLE;
    object_release(object);
    return ERROR_SUCCESS;
}

PAL_ERROR handle_reference(HANDLE handle, const struct object_type *type,
                           struct object **ret_object)
{
    uint32_t generation;
    struct slot *slot = slot_of(handle, &generation);

    if (!slot || !has_generation(slot, generation))
        return ERROR_INVALID_HANDLE;
    struct object *object = atomic_load_explicit(&slot->object, memory_order_acquire);
    if (!object || !object_try_acquire(object))
        return ERROR_INVALID_HANDLE;
    /*
     * The handle was open when the generation was read for the second time, or was closed after we
     * had the reference. Otherwise the object may be any: it is not what the handle meant.
     */
    if (has_generation(slot, generation) &&
        (!type || atomic_load_explicit(&object->type, memory_order_relaxed) == type)) {
        *ret_object = object;
        return ERROR_SUCCESS;
    }
    object_release(object);
    return ERROR_INVALID_HANDLE;
}

void handle_before_fork(void)
{
    pthread_mutex_lock(&table.lock);
}

void handle_after_fork(void)
{
    pthread_mutex_unlock(&table.lock);
}
