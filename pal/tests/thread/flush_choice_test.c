/* SPDX-License-Identifier: MIT */
/* The choice of the flush method, fact by fact. */
#include "thread/flush_choice.h"

#include <errno.h>

#include "kit/test.h"
#include "os/membarrier.h"

#define EXPEDITED (OS_MEMBARRIER_PRIVATE_EXPEDITED | OS_MEMBARRIER_REGISTER_PRIVATE_EXPEDITED)
#define MODERN (EXPEDITED | OS_MEMBARRIER_GLOBAL)
#define REFUSED (-1000) /* flush_choose is to fail */

enum {
    NONE = PAL_FLUSH_METHOD_NONE,
    MEMBARRIER = PAL_FLUSH_METHOD_MEMBARRIER,
    MPROTECT = PAL_FLUSH_METHOD_MPROTECT,
    GLOBAL = PAL_FLUSH_METHOD_GLOBAL,
    AUTO = FLUSH_WISH_AUTO,
    UNREGISTERED = PAL_FLUSH_REGISTRATION_NONE,
    DEFERRED = PAL_FLUSH_REGISTRATION_DEFERRED,
    DONE = PAL_FLUSH_REGISTRATION_DONE,
};

struct expectation {
    const char *what;
    struct flush_facts facts;
    int method; /* or REFUSED */
    int registration_or_error;
};

#define FACTS(arch, broadcast, wish, query, registration)                                          \
    {                                                                                              \
        OS_ARCH_##arch, broadcast, wish, query, registration                                       \
    }

static const struct expectation expectations[] = {
    {"a modern kernel", FACTS(X86, false, AUTO, MODERN, 0), MEMBARRIER, DONE},
    {"the same on arm64", FACTS(ARM64, false, AUTO, MODERN, 0), MEMBARRIER, DONE},
    {"no global, as with nohz_full", FACTS(X86, false, AUTO, EXPEDITED, 0), MEMBARRIER, DONE},
    {"only global, as before 4.14", FACTS(X86, false, AUTO, OS_MEMBARRIER_GLOBAL, 0), MPROTECT,
     UNREGISTERED},
    {"a barrier without its registration",
     FACTS(X86, false, AUTO, OS_MEMBARRIER_PRIVATE_EXPEDITED, 0), MPROTECT, UNREGISTERED},
    {"a stub that answers 0 to everything", FACTS(X86, false, AUTO, 0, 0), MPROTECT, UNREGISTERED},
    {"EPERM, all bits set as a mask", FACTS(X86, false, AUTO, -EPERM, 0), MPROTECT, UNREGISTERED},
    {"ENOSYS", FACTS(X86, false, AUTO, -ENOSYS, 0), MPROTECT, UNREGISTERED},
    {"offered, but not registering", FACTS(X86, false, AUTO, MODERN, -EINVAL), MPROTECT,
     UNREGISTERED},

    {"threads alive on x86", FACTS(X86, false, AUTO, MODERN, FLUSH_REGISTER_LATER), MEMBARRIER,
     DEFERRED},
    {"threads alive, broadcast invalidation", FACTS(X86, true, AUTO, MODERN, FLUSH_REGISTER_LATER),
     MEMBARRIER, DEFERRED},
    {"threads alive on arm64", FACTS(ARM64, false, AUTO, MODERN, FLUSH_REGISTER_LATER), MEMBARRIER,
     DEFERRED},
    {"threads alive, membarrier asked for",
     FACTS(X86, false, MEMBARRIER, MODERN, FLUSH_REGISTER_LATER), MEMBARRIER, DEFERRED},

    {"nothing sound: broadcast invalidation", FACTS(X86, true, AUTO, -EPERM, 0), REFUSED, -EPERM},
    {"nothing sound: arm64", FACTS(ARM64, false, AUTO, -ENOSYS, 0), REFUSED, -ENOSYS},
    {"nothing sound: arm", FACTS(ARM, false, AUTO, -ENOSYS, 0), REFUSED, -ENOSYS},
    {"nothing sound: riscv", FACTS(RISCV, false, AUTO, 0, 0), REFUSED, -ENOSYS},
    {"nothing sound: riscv, not registering", FACTS(RISCV, false, AUTO, MODERN, -ENOMEM), REFUSED,
     -ENOMEM},

    {"membarrier asked for and there", FACTS(ARM64, false, MEMBARRIER, MODERN, 0), MEMBARRIER,
     DONE},
    {"membarrier asked for and denied", FACTS(X86, false, MEMBARRIER, -EPERM, 0), REFUSED, -EPERM},
    {"membarrier asked for from a stub", FACTS(X86, false, MEMBARRIER, 0, 0), REFUSED, -ENOSYS},
    {"mprotect asked for", FACTS(X86, false, MPROTECT, -ENOSYS, -ENOSYS), MPROTECT, UNREGISTERED},
    {"mprotect asked for on arm64", FACTS(ARM64, false, MPROTECT, -ENOSYS, -ENOSYS), MPROTECT,
     UNREGISTERED},
    {"mprotect asked for, broadcast invalidation", FACTS(X86, true, MPROTECT, -ENOSYS, -ENOSYS),
     MPROTECT, UNREGISTERED},
    {"global asked for", FACTS(RISCV, false, GLOBAL, MODERN, -ENOSYS), GLOBAL, UNREGISTERED},
    {"global asked for, not there", FACTS(X86, false, GLOBAL, EXPEDITED, -ENOSYS), REFUSED,
     -ENOSYS},
    {"global asked for and denied", FACTS(X86, false, GLOBAL, -EPERM, -ENOSYS), REFUSED, -EPERM},
    {"none asked for", FACTS(RISCV, false, NONE, -ENOSYS, -ENOSYS), NONE, UNREGISTERED},
};

PAL_TEST(flush_choice, each_fact)
{
    for (size_t i = 0; i < sizeof expectations / sizeof *expectations; i++) {
        const struct expectation *expected = &expectations[i];
        struct flush_choice choice = {0};
        int error = flush_choose(&expected->facts, &choice);
        int before = kit_failures();

        if (expected->method == REFUSED) {
            EXPECT_EQ(error, expected->registration_or_error);
        } else {
            EXPECT_EQ(error, 0);
            EXPECT_EQ((int)choice.method, expected->method);
            EXPECT_EQ((int)choice.registration, expected->registration_or_error);
        }
        if (kit_failures() != before)
            kit_fail(__FILE__, __LINE__, "that was: %s", expected->what);
    }
}

PAL_TEST(flush_choice, interim)
{
    EXPECT_EQ((int)flush_interim(AUTO, OS_ARCH_X86, false), MPROTECT);
    EXPECT_EQ((int)flush_interim(AUTO, OS_ARCH_X86, true), MEMBARRIER);
    EXPECT_EQ((int)flush_interim(AUTO, OS_ARCH_ARM64, false), MEMBARRIER);
    EXPECT_EQ((int)flush_interim(AUTO, OS_ARCH_RISCV, false), MEMBARRIER);
    EXPECT_EQ((int)flush_interim(MEMBARRIER, OS_ARCH_X86, false), MEMBARRIER);
}

/* Whatever the facts: mprotect by itself only on x86, and never with the feature bit set. */
PAL_TEST(flush_choice, mprotect_only_where_sound)
{
    static const int queries[] = {-EPERM, -ENOSYS, -EINVAL, 0, EXPEDITED, MODERN, 0x7fffffff};
    static const int registrations[] = {0, FLUSH_REGISTER_LATER, -EINVAL, -ENOMEM};

    for (int arch = OS_ARCH_X86; arch <= OS_ARCH_RISCV; arch++)
        for (size_t q = 0; q < sizeof queries / sizeof *queries; q++)
            for (size_t r = 0; r < sizeof registrations / sizeof *registrations; r++)
                for (int broadcast = 0; broadcast <= 1; broadcast++) {
                    struct flush_facts facts = {(enum os_arch)arch, broadcast, AUTO, queries[q],
                                                registrations[r]};
                    struct flush_choice choice;
                    if (flush_choose(&facts, &choice) != 0)
                        continue;
                    bool sound = arch == OS_ARCH_X86 && !broadcast;
                    EXPECT_TRUE(sound || choice.method != PAL_FLUSH_METHOD_MPROTECT);
                    EXPECT_NE((int)choice.method, GLOBAL);
                    EXPECT_NE((int)choice.method, NONE);
                }
}
