/* SPDX-License-Identifier: MIT */
#include <pal/process.h>
#include <unistd.h>

#include "object/handle.h"

HANDLE GetCurrentProcess(VOID)
{
    return PSEUDO_HANDLE_PROCESS;
}

DWORD GetCurrentProcessId(VOID)
{
    return (DWORD)getpid();
}
