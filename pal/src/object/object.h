/* SPDX-License-Identifier: MIT */
/* Counted objects, in type-stable memory. */
#ifndef OBJECT_OBJECT_H
#define OBJECT_OBJECT_H

#include <stdatomic.h>
#include <stdbool.h>

#include "object/pool.h"

struct object;

struct object_type {
    const char *name;
    /* Called when the last reference has gone; gives the memory back to its pool. */
    void (*destroy)(struct object *object);
};

struct object {
    struct pool_item item;
    _Atomic unsigned references; /* 0: the memory is free */
    /* The same for as long as the memory exists, so it may be read after a failed acquire. */
    const struct object_type *_Atomic type;
};

/* Makes an object of memory that is free; the caller has the one reference. */
void object_init(struct object *object, const struct object_type *type);

/* Another reference, for one who has one. */
void object_acquire(struct object *object);

/* A reference, if there still is an object; for one who has only a pointer. */
bool object_try_acquire(struct object *object);

void object_release(struct object *object);

#endif
