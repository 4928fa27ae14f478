/* SPDX-License-Identifier: MIT */
#include "os/membarrier.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "os/fault.h"

/* Headers older than Linux 4.3 lack the number. */
#ifndef SYS_membarrier
#if defined(__x86_64__)
#define SYS_membarrier 324
#elif defined(__i386__)
#define SYS_membarrier 375
#elif defined(__arm__)
#define SYS_membarrier 389
#elif defined(__aarch64__) || defined(__riscv)
#define SYS_membarrier 283
#else
#error "pal: unknown architecture: say in os/membarrier.c which number membarrier(2) has on it"
#endif
#endif

static int membarrier(enum os_call call, int command)
{
    int error = os_fault(call);
    if (error)
        return error;

    long result = syscall(SYS_membarrier, command, 0, 0);
    return result < 0 ? -errno : (int)result;
}

int os_membarrier_query(void)
{
    return membarrier(OS_CALL_MEMBARRIER_QUERY, 0);
}

int os_membarrier_register(void)
{
    return membarrier(OS_CALL_MEMBARRIER_REGISTER, OS_MEMBARRIER_REGISTER_PRIVATE_EXPEDITED);
}

int os_membarrier_private(void)
{
    return membarrier(OS_CALL_MEMBARRIER_PRIVATE, OS_MEMBARRIER_PRIVATE_EXPEDITED);
}

int os_membarrier_global(void)
{
    return membarrier(OS_CALL_MEMBARRIER_GLOBAL, OS_MEMBARRIER_GLOBAL);
}
