/* SPDX-License-Identifier: MIT */
#include <pal/system.h>
#include <unistd.h>

#include "os/address_space.h"
#include "os/cgroup.h"
#include "os/processors.h"

VOID GetSystemInfo(LPSYSTEM_INFO lpSystemInfo)
{
    if (!lpSystemInfo)
        return;

    DWORD page_size = (DWORD)sysconf(_SC_PAGESIZE);
    unsigned processors = os_processor_count();
    unsigned quota = os_cgroup_cpu_limit("");

    /* NOLINTBEGIN(performance-no-int-to-ptr) */
    *lpSystemInfo = (SYSTEM_INFO){
        .dwPageSize = page_size,
        .lpMinimumApplicationAddress = (LPVOID)OS_ADDRESS_LOWEST,
        .lpMaximumApplicationAddress = (LPVOID)OS_ADDRESS_HIGHEST,
        .dwNumberOfProcessors = processors < quota ? processors : quota,
        .dwAllocationGranularity = page_size,
    };
    /* NOLINTEND(performance-no-int-to-ptr) */
}

DWORD GetCurrentProcessorNumber(VOID)
{
    return os_processor_current();
}
