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

PAL_FLUSH_METHOD flush_interim(int wish, enum os_arch arch, bool broadcast_invalidation)
{
    return wish == FLUSH_WISH_AUTO && flush_mprotect_is_sound(arch, broadcast_invalidation)
               ? PAL_FLUSH_METHOD_MPROTECT
               : PAL_FLUSH_METHOD_MEMBARRIER;
}

static int choose_without_registration(PAL_FLUSH_METHOD method, struct flush_choice *ret_choice)
{
    *ret_choice = (struct flush_choice){method, PAL_FLUSH_REGISTRATION_NONE};
    return 0;
}

static int choose_membarrier(const struct flush_facts *facts, struct flush_choice *ret_choice)
{
    if (!flush_membarrier_offered(facts->query) || facts->registration < 0)
        return membarrier_error(facts);
    *ret_choice = (struct flush_choice){
        .method = PAL_FLUSH_METHOD_MEMBARRIER,
        .registration = facts->registration == FLUSH_REGISTER_LATER
                            ? PAL_FLUSH_REGISTRATION_DEFERRED
                            : PAL_FLUSH_REGISTRATION_DONE,
    };
    return 0;
}

int flush_choose(const struct flush_facts *facts, struct flush_choice *ret_choice)
{
    switch (facts->wish) {
    case PAL_FLUSH_METHOD_NONE:
    case PAL_FLUSH_METHOD_MPROTECT:
        return choose_without_registration((PAL_FLUSH_METHOD)facts->wish, ret_choice);
    case PAL_FLUSH_METHOD_GLOBAL:
        if (facts->query < 0 || (facts->query & OS_MEMBARRIER_GLOBAL) == 0)
            return membarrier_error(facts);
        return choose_without_registration(PAL_FLUSH_METHOD_GLOBAL, ret_choice);
    case PAL_FLUSH_METHOD_MEMBARRIER:
        return choose_membarrier(facts, ret_choice);
    default:
        break;
    }

    int error = choose_membarrier(facts, ret_choice);
    if (error && flush_mprotect_is_sound(facts->arch, facts->broadcast_invalidation))
        return choose_without_registration(PAL_FLUSH_METHOD_MPROTECT, ret_choice);
    return error;
}
