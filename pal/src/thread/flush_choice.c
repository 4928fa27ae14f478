/* SPDX-License-Identifier: MIT */
#include "thread/flush_choice.h"

#include <errno.h>

#include "os/membarrier.h"

bool flush_membarrier_offered(int query)
{
    const int needed = OS_MEMBARRIER_PRIVATE_EXPEDITED | OS_MEMBARRIER_REGISTER_PRIVATE_EXPEDITED;

    /* A negative answer is an error and not a mask, whatever bits it has set. */
    return query > 0 && (query & needed) == needed;
}

bool flush_mprotect_is_sound(enum os_arch arch, bool broadcast_invalidation)
{
    return arch == OS_ARCH_X86 && !broadcast_invalidation;
}

static int membarrier_error(const struct flush_facts *facts)
{
    if (facts->query < 0)
        return facts->query;
    if (flush_membarrier_offered(facts->query) && facts->registration < 0)
        return facts->registration;
    return -ENOSYS;
}

static struct flush_choice without_registration(PAL_FLUSH_METHOD method)
{
    return (struct flush_choice){method, method, PAL_FLUSH_REGISTRATION_NONE};
}

static struct flush_choice by_membarrier(bool registered, PAL_FLUSH_METHOD interim)
{
    if (registered)
        return (struct flush_choice){PAL_FLUSH_METHOD_MEMBARRIER, PAL_FLUSH_METHOD_MEMBARRIER,
                                     PAL_FLUSH_REGISTRATION_DONE};
    return (struct flush_choice){PAL_FLUSH_METHOD_MEMBARRIER, interim,
                                 PAL_FLUSH_REGISTRATION_DEFERRED};
}

int flush_choose(const struct flush_facts *facts, struct flush_choice *ret_choice)
{
    bool automatic = facts->wish == FLUSH_WISH_AUTO;
    bool mprotect =
        automatic && flush_mprotect_is_sound(facts->arch, facts->broadcast_invalidation);

    switch (facts->wish) {
    case PAL_FLUSH_METHOD_NONE:
    case PAL_FLUSH_METHOD_MPROTECT:
        *ret_choice = without_registration((PAL_FLUSH_METHOD)facts->wish);
        return 0;
    case PAL_FLUSH_METHOD_GLOBAL:
        if (facts->query < 0 || (facts->query & OS_MEMBARRIER_GLOBAL) == 0)
            return membarrier_error(facts);
        *ret_choice = without_registration(PAL_FLUSH_METHOD_GLOBAL);
        return 0;
    default:
        break;
    }

    if (flush_membarrier_offered(facts->query) && facts->registration >= 0) {
        *ret_choice =
            by_membarrier(facts->registration == 0,
                          mprotect ? PAL_FLUSH_METHOD_MPROTECT : PAL_FLUSH_METHOD_MEMBARRIER);
        return 0;
    }
    if (!mprotect)
        return membarrier_error(facts);
    *ret_choice = without_registration(PAL_FLUSH_METHOD_MPROTECT);
    return 0;
}
