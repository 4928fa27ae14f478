/* SPDX-License-Identifier: MIT */
#include <pal/error.h>
#include <pal/flush.h>
#include <stdio.h>

#include "base/panic.h"
#include "init/init.h"
#include "init/table.h"
#include "thread/flush.h"

/* An early flush cannot return an error: it ends with what the failed row has to say. */
static _Noreturn void give_up(void)
{
    char what[200];
    PAL_INIT_PHASE phases[INIT_ROW_COUNT] = {{.name = "flush"}};
    unsigned count = init_trace(phases, INIT_ROW_COUNT);
    const PAL_INIT_PHASE *failed = &phases[count > 0 ? count - 1 : 0];

    (void)snprintf(what, sizeof what, "FlushProcessWriteBuffers: row '%s' failed: %s", failed->name,
                   failed->hint ? failed->hint : "no process-wide barrier can be had");
    PANIC(failed->error_number, what);
}

VOID FlushProcessWriteBuffers(VOID)
{
    while (!flush_process_write_buffers())
        if (init_ensure() != ERROR_SUCCESS)
            give_up();
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
