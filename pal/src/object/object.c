/* SPDX-License-Identifier: MIT */
#include "object/object.h"

void object_init(struct object *object, const struct object_type *type)
{
    atomic_store_explicit(&object->type, type, memory_order_relaxed);
    /* Pairs with the acquire in object_try_acquire: who gets a reference sees the object made. */
    atomic_store_explicit(&object->references, 1, memory_order_release);
}

void object_acquire(struct object *object)
{
    atomic_fetch_add_explicit(&object->references, 1, memory_order_relaxed);
}

bool object_try_acquire(struct object *object)
{
    unsigned references = atomic_load_explicit(&object->references, memory_order_relaxed);

    while (references != 0)
        if (atomic_compare_exchange_weak_explicit(&object->references, &references, references + 1,
                                                  memory_order_acquire, memory_order_relaxed))
            return true;
    return false;
}

void object_release(struct object *object)
{
    /* Release: our use of the object comes before; acquire, for the last: so did everyone's. */
    if (atomic_fetch_sub_explicit(&object->references, 1, memory_order_acq_rel) == 1)
        atomic_load_explicit(&object->type, memory_order_relaxed)->destroy(object);
}
