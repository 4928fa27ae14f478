/* SPDX-License-Identifier: MIT */
#include <pal/error.h>

static _Thread_local DWORD last_error;

DWORD GetLastError(VOID)
{
    return last_error;
}

VOID SetLastError(DWORD dwErrCode)
{
    last_error = dwErrCode;
}
