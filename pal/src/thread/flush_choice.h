/* SPDX-License-Identifier: MIT */
/* Which way of flushing is right for a machine: a pure function, so that a table can test it. */
#ifndef THREAD_FLUSH_CHOICE_H
#define THREAD_FLUSH_CHOICE_H

#include <pal/flush.h>
#include <stdbool.h>

#include "os/cpu.h"

/* No method was asked for: the best one that is sound. */
#define FLUSH_WISH_AUTO (-1)

/* The registration was put off, since other threads are alive. */
#define FLUSH_REGISTER_LATER 1

struct flush_facts {
    enum os_arch arch;
    bool broadcast_invalidation; /* as the CPU says; looked at when membarrier is out */
    int wish;                    /* a PAL_FLUSH_METHOD or FLUSH_WISH_AUTO */
    int query;                   /* the mask that os_membarrier_query gave, or -errno */
    int registration;            /* 0, -errno, or FLUSH_REGISTER_LATER */
};

struct flush_choice {
    PAL_FLUSH_METHOD method;
    PAL_FLUSH_REGISTRATION registration;
};

/* Whether the query's answer promises what membarrier(PRIVATE_EXPEDITED) needs. */
bool flush_membarrier_offered(int query);

/*
 * Whether taking the access rights of a dirty page interrupts every processor that runs a thread of
 * ours: only where a TLB can be invalidated in no other way.
 */
bool flush_mprotect_is_sound(enum os_arch arch, bool broadcast_invalidation);

/*
 * What serves while a registration that was put off is not done: mprotect where that is sound and
 * nothing else was asked for, else membarrier, which means to wait.
 */
PAL_FLUSH_METHOD flush_interim(int wish, enum os_arch arch, bool broadcast_invalidation);

/*
 * Chooses. Returns 0, or -errno when the wish cannot be met or nothing is sound: the errno that
 * membarrier gave, or ENOSYS where it gave none.
 */
int flush_choose(const struct flush_facts *facts, struct flush_choice *ret_choice);

#endif
