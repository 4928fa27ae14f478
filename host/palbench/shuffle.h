/* SPDX-License-Identifier: MIT */
#ifndef PALBENCH_SHUFFLE_H
#define PALBENCH_SHUFFLE_H

#include <stddef.h>

/* Puts 0 to count - 1 into a random order, going on from the state of the generator. */
void shuffle(size_t *order, size_t count, unsigned short generator[3]);

#endif
