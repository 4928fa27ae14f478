/* SPDX-License-Identifier: MIT */
#include "shuffle.h"

#include <stdlib.h>

void shuffle(size_t *order, size_t count, unsigned short generator[3])
{
    for (size_t i = 0; i < count; i++) {
        size_t j = (size_t)nrand48(generator) % (i + 1);
        order[i] = order[j];
        order[j] = i;
    }
}
