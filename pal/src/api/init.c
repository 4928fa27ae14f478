/* SPDX-License-Identifier: MIT */
#include <pal/error.h>
#include <pal/init.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/panic.h"
#include "init/init.h"

int PAL_InitializeWithFlags(int argc, const char *const argv[], DWORD flags)
{
    (void)argc;
    (void)argv;
    DWORD error = init_acquire(flags);
    SetLastError(error);
    return error == ERROR_SUCCESS ? 0 : -1;
}

int PAL_Initialize(int argc, char *const argv[])
{
    return PAL_InitializeWithFlags(argc, (const char *const *)argv, PAL_INITIALIZE);
}

int PAL_InitializeDLL(VOID)
{
    return PAL_InitializeWithFlags(0, NULL, PAL_INITIALIZE_DLL);
}

DWORD PAL_InitializeCoreCLR(const char *szExePath, BOOL runningInExe)
{
    (void)runningInExe;
    (void)PAL_InitializeWithFlags(1, &szExePath, PAL_INITIALIZE_CORECLR);
    return GetLastError();
}

VOID PAL_Terminate(VOID)
{
    DWORD error = init_release();
    if (error)
        SetLastError(error);
}

VOID PAL_TerminateEx(int exitCode)
{
    init_release_all();
    exit(exitCode);
}

DWORD PAL_GetInitTrace(PAL_INIT_PHASE *lpPhases, DWORD cPhases)
{
    if (!lpPhases && cPhases != 0) {
        SetLastError(ERROR_INVALID_PARAMETER);
        return 0;
    }
    return init_trace(lpPhases, cPhases);
}

PAL_PANIC_HANDLER PAL_SetPanicHandler(PAL_PANIC_HANDLER handler)
{
    return panic_set_handler(handler);
}

LPCSTR PAL_GetVersion(VOID)
{
    return PAL_VERSION_STRING;
}
