/* SPDX-License-Identifier: MIT */
#include "thread/description.h"

#include <stdlib.h>
#include <string.h>

#include "base/utf.h"
#include "os/thread_name.h"
#include "thread/current.h"
#include "thread/roster.h"

static size_t length_of(const char16_t *text)
{
    size_t length = 0;

    while (text[length] != 0)
        length++;
    return length;
}

static char16_t *copy_of(const char16_t *text)
{
    size_t size = (length_of(text) + 1) * sizeof *text;
    char16_t *copy = malloc(size);

    return copy ? memcpy(copy, text, size) : NULL;
}

/* Tells the kernel. Threads lock, so that the thread does not end and its id mean another. */
static void apply(struct thread *thread)
{
    char name[OS_THREAD_NAME_SIZE];
    DWORD id = thread_id_if_known(thread);

    if (id == 0 || thread->ended || !thread->description)
        return;
    (void)utf16_to_utf8(thread->description, name, sizeof name);
    if (name[0] != '\0')
        os_thread_name(id, id == current_id(), name);
}

PAL_ERROR description_set(struct thread *thread, const char16_t *text)
{
    char16_t *copy = copy_of(text);

    if (!copy)
        return ERROR_NOT_ENOUGH_MEMORY;
    threads_lock();
    char16_t *old = thread->description;
    thread->description = copy;
    /*
     * Either we see the id that the thread publishes, or it sees this: both are sequentially
     * consistent, and each side writes its own before it reads the other's.
     */
    atomic_store(&thread->described, true);
    apply(thread);
    threads_unlock();
    free(old);
    return ERROR_SUCCESS;
}

PAL_ERROR description_get(struct thread *thread, char16_t **ret_text)
{
    threads_lock();
    char16_t *copy = copy_of(thread->description ? thread->description : u"");
    threads_unlock();
    if (!copy)
        return ERROR_NOT_ENOUGH_MEMORY;
    *ret_text = copy;
    return ERROR_SUCCESS;
}

void description_apply_to_self(struct thread *thread)
{
    if (!atomic_load(&thread->described))
        return;
    threads_lock();
    apply(thread);
    threads_unlock();
}
