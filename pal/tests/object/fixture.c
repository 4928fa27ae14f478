/* SPDX-License-Identifier: MIT */
#include "fixture.h"

#include <stddef.h>

struct fixture {
    struct object object;
    char payload[40];
};

POOL(fixtures, struct fixture, 4);
POOL(others, struct fixture, 4);
static atomic_int alive;

static void destroy_fixture(struct object *object)
{
    atomic_fetch_sub(&alive, 1);
    pool_give(&fixtures, object);
}

static void destroy_other(struct object *object)
{
    atomic_fetch_sub(&alive, 1);
    pool_give(&others, object);
}

const struct object_type fixture_type = {.name = "fixture", .destroy = destroy_fixture};
const struct object_type other_type = {.name = "other", .destroy = destroy_other};

struct object *fixture_new(const struct object_type *type)
{
    struct object *object = pool_take(type == &fixture_type ? &fixtures : &others);

    if (object) {
        object_init(object, type);
        atomic_fetch_add(&alive, 1);
    }
    return object;
}

int fixture_alive(void)
{
    return atomic_load(&alive);
}
