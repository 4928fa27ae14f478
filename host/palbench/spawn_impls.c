/* SPDX-License-Identifier: MIT */
#include "spawn_impls.h"

#include <err.h>
#include <errno.h>
#include <pal/error.h>
#include <pal/handle.h>
#include <pal/sync.h>

#include "exit_code.h"

static void pal_create(union spawn_thread *ret_thread, const struct spawn_stack *stack,
                       const struct spawn_body *body, void *argument)
{
    ret_thread->handle = CreateThread(NULL, stack->pal_size, body->pal, argument, 0, NULL);
    if (ret_thread->handle)
        return;
    LPCSTR hint = PAL_CreateThreadHint(errno);
    err(EXIT_INTERNAL, "CreateThread: error %u%s%s", GetLastError(), hint ? ": " : "",
        hint ? hint : "");
}

static void pal_join(union spawn_thread *thread)
{
    if (WaitForSingleObject(thread->handle, INFINITE) != WAIT_OBJECT_0)
        errx(EXIT_INTERNAL, "WaitForSingleObject of a thread: error %u", GetLastError());
    if (!CloseHandle(thread->handle))
        errx(EXIT_INTERNAL, "CloseHandle of a thread: error %u", GetLastError());
}

static void require(int error, const char *call)
{
    if (!error)
        return;
    errno = error;
    err(EXIT_INTERNAL, "%s", call);
}

static void pthread_side_create(union spawn_thread *ret_thread, const struct spawn_stack *stack,
                                const struct spawn_body *body, void *argument)
{
    require(pthread_create(&ret_thread->thread, &stack->attributes, body->pthread, argument),
            "pthread_create");
}

static void pthread_side_join(union spawn_thread *thread)
{
    require(pthread_join(thread->thread, NULL), "pthread_join");
}

const struct spawn_impl spawn_impls[SPAWN_IMPL_COUNT] = {
    [SPAWN_PAL] = {"pal", pal_create, pal_join},
    [SPAWN_PTHREAD] = {"pthread", pthread_side_create, pthread_side_join},
};

static DWORD nothing_pal(LPVOID unused)
{
    (void)unused;
    return 0;
}

static void *nothing_pthread(void *unused)
{
    return unused;
}

const struct spawn_body spawn_nothing = {nothing_pal, nothing_pthread};

void spawn_stack_open(struct spawn_stack *stack, size_t size)
{
    stack->pal_size = size;
    require(pthread_attr_init(&stack->attributes), "pthread_attr_init");
    require(pthread_attr_setstacksize(&stack->attributes, size ? size : SPAWN_DEFAULT_STACK),
            "pthread_attr_setstacksize");
}

void spawn_stack_close(struct spawn_stack *stack)
{
    (void)pthread_attr_destroy(&stack->attributes);
}
