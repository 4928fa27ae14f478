/* SPDX-License-Identifier: MIT */
/* Objects that count how many of them are alive. */
#ifndef OBJECT_FIXTURE_H
#define OBJECT_FIXTURE_H

#include "object/object.h"

extern const struct object_type fixture_type;
extern const struct object_type other_type;

/* One reference; NULL: no memory. */
struct object *fixture_new(const struct object_type *type);
int fixture_alive(void);

#endif
