/* SPDX-License-Identifier: MIT */
#include <pal/thread.h>

#include "thread/current.h"

DWORD TlsAlloc(VOID)
{
    DWORD index = tls_alloc();

    if (index == TLS_OUT_OF_INDEXES)
        SetLastError(ERROR_NO_MORE_ITEMS);
    return index;
}

BOOL TlsFree(DWORD dwTlsIndex)
{
    if (tls_free(dwTlsIndex))
        return TRUE;
    SetLastError(ERROR_INVALID_PARAMETER);
    return FALSE;
}

LPVOID TlsGetValue(DWORD dwTlsIndex)
{
    bool allocated = tls_is_allocated(dwTlsIndex);
    struct thread *thread = current_peek();

    SetLastError(allocated ? ERROR_SUCCESS : ERROR_INVALID_PARAMETER);
    return allocated && thread ? tls_get(thread, dwTlsIndex) : NULL;
}

BOOL TlsSetValue(DWORD dwTlsIndex, LPVOID lpTlsValue)
{
    struct thread *thread;
    PAL_ERROR error = ERROR_INVALID_PARAMETER;

    if (tls_is_allocated(dwTlsIndex))
        error = current_get(&thread);
    if (error == ERROR_SUCCESS)
        error = tls_set(thread, dwTlsIndex, lpTlsValue);
    if (error == ERROR_SUCCESS)
        return TRUE;
    SetLastError(error);
    return FALSE;
}
