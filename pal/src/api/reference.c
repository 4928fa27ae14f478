/* SPDX-License-Identifier: MIT */
#include "api/reference.h"

#include "thread/current.h"

static PAL_ERROR reference_current(struct thread **ret_thread)
{
    PAL_ERROR error = current_get(ret_thread);

    if (error == ERROR_SUCCESS)
        object_acquire(&(*ret_thread)->waitable.object);
    return error;
}

PAL_ERROR reference_thread(HANDLE handle, struct thread **ret_thread)
{
    struct object *object;

    if (handle_is_current_thread(handle))
        return reference_current(ret_thread);
    PAL_ERROR error = handle_reference(handle, &thread_type, &object);
    if (error == ERROR_SUCCESS)
        *ret_thread = thread_of(object);
    return error;
}

void release_thread(struct thread *thread)
{
    object_release(&thread->waitable.object);
}

PAL_ERROR reference_waitable(HANDLE handle, struct waitable **ret_waitable)
{
    struct thread *thread;
    PAL_ERROR error = reference_thread(handle, &thread);

    if (error == ERROR_SUCCESS)
        *ret_waitable = &thread->waitable;
    return error;
}
