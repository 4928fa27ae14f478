/* SPDX-License-Identifier: MIT */
#include <pal/handle.h>

#include "api/reference.h"

static bool is_pseudo(HANDLE handle)
{
    return handle_is(handle, PSEUDO_HANDLE_PROCESS) || handle_is(handle, PSEUDO_HANDLE_THREAD);
}

BOOL CloseHandle(HANDLE hObject)
{
    PAL_ERROR error = is_pseudo(hObject) ? ERROR_SUCCESS : handle_close(hObject);

    if (error == ERROR_SUCCESS)
        return TRUE;
    SetLastError(error);
    return FALSE;
}

static PAL_ERROR duplicate(HANDLE source, HANDLE *ret_handle)
{
    struct waitable *waitable;

    if (handle_is(source, PSEUDO_HANDLE_PROCESS))
        return ERROR_NOT_SUPPORTED;
    PAL_ERROR error = reference_waitable(source, &waitable);
    if (error)
        return error;
    error = handle_open(&waitable->object, ret_handle);
    if (error)
        object_release(&waitable->object);
    return error;
}

BOOL DuplicateHandle(HANDLE hSourceProcessHandle, HANDLE hSourceHandle, HANDLE hTargetProcessHandle,
                     LPHANDLE lpTargetHandle, DWORD dwDesiredAccess, BOOL bInheritHandle,
                     DWORD dwOptions)
{
    const bool close_source = (dwOptions & DUPLICATE_CLOSE_SOURCE) != 0;
    PAL_ERROR error = ERROR_SUCCESS;

    (void)dwDesiredAccess;
    (void)bInheritHandle;
    if (!handle_is(hSourceProcessHandle, PSEUDO_HANDLE_PROCESS)) {
        SetLastError(ERROR_INVALID_HANDLE);
        return FALSE;
    }
    if (!handle_is(hTargetProcessHandle, PSEUDO_HANDLE_PROCESS))
        error = ERROR_INVALID_HANDLE;
    else if (dwOptions & ~(DWORD)(DUPLICATE_CLOSE_SOURCE | DUPLICATE_SAME_ACCESS))
        error = ERROR_INVALID_PARAMETER;
    else if (lpTargetHandle)
        error = duplicate(hSourceHandle, lpTargetHandle);
    else if (!close_source)
        error = ERROR_INVALID_PARAMETER;

    if (close_source && !CloseHandle(hSourceHandle))
        return FALSE;
    if (error == ERROR_SUCCESS)
        return TRUE;
    SetLastError(error);
    return FALSE;
}
