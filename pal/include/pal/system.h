/* SPDX-License-Identifier: MIT */
/* The machine, as far as this process may use it. */
#ifndef PAL_SYSTEM_H
#define PAL_SYSTEM_H

#include <pal/types.h>

/* Members that CoreCLR's PAL leaves undefined are named as it does, and 0. */
typedef struct _SYSTEM_INFO {
    WORD wProcessorArchitecture_PAL_Undefined;
    WORD wReserved_PAL_Undefined;
    DWORD dwPageSize;                   /* in bytes */
    LPVOID lpMinimumApplicationAddress; /* lowest address that a mapping may have */
    LPVOID lpMaximumApplicationAddress; /* highest address of a user program's byte */
    DWORD_PTR dwActiveProcessorMask_PAL_Undefined;
    DWORD dwNumberOfProcessors; /* see GetSystemInfo */
    DWORD dwProcessorType_PAL_Undefined;
    DWORD dwAllocationGranularity; /* in bytes: a page, as mmap(2) has it */
    WORD wProcessorLevel_PAL_Undefined;
    WORD wProcessorRevision_PAL_Undefined;
} SYSTEM_INFO, *LPSYSTEM_INFO;

/*
 * GetSystemInfo: how many processors this process may use, and the page size.
 *
 * lpSystemInfo: receives the answer; NULL is ignored.
 * dwNumberOfProcessors is the number in the calling thread's affinity mask (where that may not be
 * asked: those on line), but no more than the CPU quota of the process's cgroup and of those above
 * it allows, rounded up; at least 1. A cgroup that cannot be read limits nothing. Reads /proc and
 * /sys/fs/cgroup at each call, for the quota may change: not for a hot path.
 *
 * Thread-safe; blocks only on those reads; works before PAL_Initialize. The last error is left
 * alone. Contract: Win32 documentation, GetSystemInfo; sched_getaffinity(2); cgroups(7), cpu.max
 * (version 2), cpu.cfs_quota_us (version 1).
 */
PALIMPORT VOID PALAPI GetSystemInfo(LPSYSTEM_INFO lpSystemInfo);

/*
 * GetCurrentProcessorNumber: the processor that the calling thread was on during the call, counted
 * as the kernel does. Thread-safe; never blocks; works before PAL_Initialize.
 * Contract: Win32 documentation, GetCurrentProcessorNumber; getcpu(2).
 */
PALIMPORT DWORD PALAPI GetCurrentProcessorNumber(VOID);

#endif
