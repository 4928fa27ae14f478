/* SPDX-License-Identifier: MIT */
/*
 * Fault injection. Every wrapper in os/ asks here first whether the call it stands for is to fail.
 * A build without PAL_FAULT_INJECTION, and so every library that is shipped, has none of it.
 */
#ifndef OS_FAULT_H
#define OS_FAULT_H

enum os_call {
    OS_CALL_PAGE_SIZE,
    OS_CALL_CLOCK,
    OS_CALL_AFFINITY,
    OS_CALL_AT_FORK,
    OS_CALL_UNSHARE,
    OS_CALL_MEMBARRIER_QUERY,
    OS_CALL_MEMBARRIER_REGISTER,
    OS_CALL_MEMBARRIER_PRIVATE,
    OS_CALL_MEMBARRIER_GLOBAL,
    OS_CALL_MMAP,
    OS_CALL_MPROTECT,
    OS_CALL_MLOCK,
    OS_CALL_EVENTFD,
    OS_CALL_THREAD_START,
    OS_CALL_THREAD_CREATE,
    OS_CALL_THREAD_KEY,
    OS_CALL_MEMORY_MAP,
    OS_CALL_STACK_MAP,
    OS_CALL_FUTEX_WAIT,
    OS_CALL_COUNT
};

#ifdef PAL_FAULT_INJECTION
/* Returns 0: carry on, or -errno: fail with it. Defined by the test kit. */
int os_fault(enum os_call call);
#else
static inline int os_fault(enum os_call call)
{
    (void)call;
    return 0;
}
#endif

#endif
