/* SPDX-License-Identifier: MIT */
#include <pal/sync.h>

#include "api/reference.h"

DWORD WaitForSingleObject(HANDLE hHandle, DWORD dwMilliseconds)
{
    struct waitable *waitable;
    PAL_ERROR error = reference_waitable(hHandle, &waitable);

    if (error == ERROR_SUCCESS) {
        error = waitable_wait(waitable, dwMilliseconds);
        object_release(&waitable->object);
    }
    if (error == ERROR_SUCCESS)
        return WAIT_OBJECT_0;
    if (error == WAIT_TIMEOUT)
        return WAIT_TIMEOUT;
    SetLastError(error);
    return WAIT_FAILED;
}
