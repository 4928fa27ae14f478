/* SPDX-License-Identifier: MIT */
/* The flushes that `palbench flush` compares: each method by the PAL and by bare system calls. */
#ifndef PALBENCH_FLUSH_IMPLS_H
#define PALBENCH_FLUSH_IMPLS_H

#include <stddef.h>
#include <stdint.h>

enum flush_impl_id {
    IMPL_PAL_MEMBARRIER,
    IMPL_RAW_MEMBARRIER,
    IMPL_PAL_MPROTECT,
    IMPL_RAW_MPROTECT,
    IMPL_PAL_SIGNAL,
    IMPL_PAL_GLOBAL,
    IMPL_RAW_GLOBAL,
    IMPL_COUNT
};

#define IMPL_NONE IMPL_COUNT

enum flush_method_id {
    METHOD_MEMBARRIER,
    METHOD_MPROTECT,
    METHOD_SIGNAL,
    METHOD_GLOBAL,
    METHOD_COUNT
};

/* As PAL_FLUSH spells them. */
extern const char *const flush_method_names[METHOD_COUNT];

struct flush_impl {
    const char *name;
    enum flush_method_id method;
    enum flush_impl_id baseline; /* the bare calls that a flush by the PAL is to be held against */
    int (*open)(void);           /* of the bare calls: -errno when they do not work here */
    void (*flush)(void);
    size_t calls;  /* that a block times */
    size_t warmup; /* calls before those */
};

extern const struct flush_impl flush_impls[IMPL_COUNT];

#define FLUSH_REASON_SIZE 256

/* An impl as it is on this machine. */
struct flush_availability {
    char reason[FLUSH_REASON_SIZE]; /* why it cannot be measured; empty when it can */
};

/*
 * Tries the impls of the methods (bit i for method i) while the process has one thread, which makes
 * a registration cheap. Those of other methods are left alone.
 */
void flush_impls_try(uint32_t methods, struct flush_availability availability[IMPL_COUNT]);

/*
 * Makes the impl, one that was found to work, the one in force, which for a flush by the PAL may
 * mean to initialise the PAL anew. Ends the program when that fails.
 */
void flush_impl_prepare(const struct flush_impl *impl);

#endif
