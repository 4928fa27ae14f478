/* SPDX-License-Identifier: MIT */
#include <pal/handle.h>

#include "api/reference.h"

static bool is_pseudo(HANDLE handle)
{
    return handle_is_current_process(handle) || handle_is_current_thread(handle);
}

BOOL CloseHandle(HANDLE hObject)
{
    PAL_ERROR error = is_pseudo(hObject) ? ERROR_SUCCESS : handle_close(hObject);

    if (error == ERROR_SUCCESS)
        return TRUE;
    SetLastError(error);
    return FALSE;
}

static PAL_ERROR open_second(HANDLE source, HANDLE *ret_handle)
{
    struct waitable *waitable;

    if (handle_is_current_process(source))
        return ERROR_NOT_SUPPORTED;
    PAL_ERROR error = reference_waitable(source, &waitable);
    if (error)
        return error;
    error = handle_open(&waitable->object, ret_handle);
    if (error)
        object_release(&waitable->object);
    return error;
}

static PAL_ERROR duplicate(HANDLE source, HANDLE target_process, HANDLE *ret_handle, DWORD options)
{
    const DWORD known = DUPLICATE_CLOSE_SOURCE | DUPLICATE_SAME_ACCESS;

    if (!handle_is_current_process(target_process))
        return ERROR_INVALID_HANDLE;
    if ((options & ~known) || (!ret_handle && !(options & DUPLICATE_CLOSE_SOURCE)))
        return ERROR_INVALID_PARAMETER;
    return ret_handle ? open_second(source, ret_handle) : ERROR_SUCCESS;
}

BOOL DuplicateHandle(HANDLE hSourceProcessHandle, HANDLE hSourceHandle, HANDLE hTargetProcessHandle,
                     LPHANDLE lpTargetHandle, DWORD dwDesiredAccess, BOOL bInheritHandle,
                     DWORD dwOptions)
{
    (void)dwDesiredAccess;
    (void)bInheritHandle;
    if (!handle_is_current_process(hSourceProcessHandle)) {
        SetLastError(ERROR_INVALID_HANDLE);
        return FALSE;
    }
    PAL_ERROR error = duplicate(hSourceHandle, hTargetProcessHandle, lpTargetHandle, dwOptions);
    if ((dwOptions & DUPLICATE_CLOSE_SOURCE) && !CloseHandle(hSourceHandle))
        return FALSE;
    if (error == ERROR_SUCCESS)
        return TRUE;
    SetLastError(error);
    return FALSE;
}
