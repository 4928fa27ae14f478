/* SPDX-License-Identifier: MIT */
#include "os/cpu.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>

bool os_cpu_broadcasts_invalidation(void)
{
    unsigned eax;
    unsigned ebx;
    unsigned ecx;
    unsigned edx;

    return __get_cpuid(0x80000008u, &eax, &ebx, &ecx, &edx) && (ebx & (1u << 3)) != 0;
}
#else
bool os_cpu_broadcasts_invalidation(void)
{
    return false;
}
#endif
