/* SPDX-License-Identifier: MIT */
#include <pal/process.h>
#include <unistd.h>

#include "object/handle.h"

HANDLE GetCurrentProcess(VOID)
{
    return handle_current_process();
}

DWORD GetCurrentProcessId(VOID)
{
    return (DWORD)getpid();
}
