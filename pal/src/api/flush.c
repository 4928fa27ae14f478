/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <pal/error.h>
#include <pal/flush.h>

#include "base/panic.h"
#include "init/init.h"
#include "thread/flush.h"

VOID FlushProcessWriteBuffers(VOID)
{
    while (!flush_process_write_buffers())
        if (init_ensure() != ERROR_SUCCESS)
            PANIC(ENOTSUP, "FlushProcessWriteBuffers: no process-wide barrier can be had");
}

BOOL PAL_GetFlushInfo(PAL_FLUSH_INFO *lpFlushInfo)
{
    if (!lpFlushInfo) {
        SetLastError(ERROR_INVALID_PARAMETER);
        return FALSE;
    }
    if (!flush_get_info(lpFlushInfo)) {
        SetLastError(ERROR_NOT_READY);
        return FALSE;
    }
    return TRUE;
}

LPCSTR PAL_FlushMethodName(PAL_FLUSH_METHOD method)
{
    return flush_method_name(method);
}
