/* SPDX-License-Identifier: MIT */
/*
 * What a process holds, counted before and after, to see what leaks.
 *
 *     kit_resources_warm_up();
 *     const struct kit_resources before = kit_resources_now();
 *     ...
 *     EXPECT_RESOURCES_EQ(before, kit_resources_after(&before));
 *
 * libc keeps the stack of a joined thread for the next one, an arena for each thread that called
 * malloc, and loads libraries late, all of which are mappings and no leaks. kit_resources_warm_up
 * makes it do so with one thread; a test that has N threads at a time is best run once before the
 * first count. Mappings come and go at a sanitizer's will, so they are not compared under one.
 *
 * Counting makes no mapping and needs no memory; one thread may count at a time.
 */
#ifndef KIT_RESOURCES_H
#define KIT_RESOURCES_H

#include "test.h"

/* -1 where /proc does not tell. */
struct kit_resources {
    int descriptors;
    int mappings;
    int tasks;
    int free_keys; /* of pthread_key_create */
};

struct kit_resources kit_resources_now(void);

/* Waits, up to a second, for joined threads to be gone: the kernel needs an instant after join. */
struct kit_resources kit_resources_after(const struct kit_resources *before);

void kit_resources_warm_up(void);

#define EXPECT_RESOURCES_EQ(before, after)                                                         \
    kit_check_resources(__FILE__, __LINE__, before, after, #before, #after)

void kit_check_resources(const char *file, int line, struct kit_resources before,
                         struct kit_resources after, const char *before_text,
                         const char *after_text);

#endif
