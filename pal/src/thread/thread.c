/* SPDX-License-Identifier: MIT */
#include "thread/thread.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "os/clock.h"
#include "os/futex.h"
#include "os/native_thread.h"
#include "os/thread_times.h"
#include "thread/current.h"
#include "thread/description.h"
#include "thread/ended.h"
#include "thread/roster.h"

/* What the id may be before it is known. No thread has these numbers. */
#define ID_UNKNOWN 0u
#define ID_AWAITED UINT32_MAX

enum { GATE_OPEN, GATE_CLOSED };

/* Records of the first threads, which need no mapping. */
POOL(records, struct thread, 16);

static void destroy(struct object *object)
{
    struct thread *thread = thread_of(object);

    free(thread->description);
    pool_give(&records, thread);
}

const struct object_type thread_type = {.name = "thread", .destroy = destroy};

static struct thread *new_record(bool created)
{
    struct thread *thread = pool_take(&records);

    if (!thread)
        return NULL;
    /* The object's part stays what it is for those who come too late. */
    memset((char *)thread + sizeof(struct waitable), 0, sizeof *thread - sizeof(struct waitable));
    thread->created = created;
    thread->creation_time = os_clock_filetime();
    waitable_init(&thread->waitable, &thread_type);
    return thread;
}

DWORD thread_id(struct thread *thread)
{
    uint32_t id = ID_UNKNOWN;

    /* Relaxed: an id comes with nothing. Forever, since a new thread gets to publish it. */
    (void)atomic_compare_exchange_strong_explicit(&thread->tid, &id, ID_AWAITED,
                                                  memory_order_relaxed, memory_order_relaxed);
    while ((id = atomic_load_explicit(&thread->tid, memory_order_relaxed)) == ID_AWAITED)
        (void)os_futex_wait(&thread->tid, ID_AWAITED, OS_FOREVER);
    return id;
}

void thread_publish_id(struct thread *thread)
{
    /* Seq_cst: against the description; see there. */
    if (atomic_exchange(&thread->tid, current_id()) == ID_AWAITED)
        os_futex_wake_all(&thread->tid);
}

DWORD thread_id_if_known(struct thread *thread)
{
    uint32_t id = atomic_load(&thread->tid); /* seq_cst: against the description, again */
    return id == ID_AWAITED ? ID_UNKNOWN : id;
}

static void pass_gate(struct thread *thread)
{
    /* Acquire: pairs with thread_resume. What the resumer did before is there. */
    while (atomic_load_explicit(&thread->gate, memory_order_acquire) == GATE_CLOSED)
        (void)os_futex_wait(&thread->gate, GATE_CLOSED, OS_FOREVER);
}

static void *run(void *argument)
{
    struct thread *thread = argument;

    thread->native = pthread_self(); /* pthread_create may tell its caller later than we run */
    current_adopt(thread);
    description_apply_to_self(thread);
    pass_gate(thread);
    thread->exit_code = thread->start(thread->parameter);
    return NULL;
}

PAL_ERROR thread_enrol(bool created, struct thread **ret_thread)
{
    struct thread *thread = new_record(created);

    if (!thread) {
        errno = ENOMEM;
        return ERROR_NOT_ENOUGH_MEMORY;
    }
    threads_lock();
    bool ready = current_is_ready();
    if (ready)
        roster_add(thread);
    threads_unlock();
    if (ready)
        *ret_thread = thread;
    else
        object_release(&thread->waitable.object);
    return ready ? ERROR_SUCCESS : ERROR_NOT_READY;
}

/* What thread_enrol did, for a thread that came to nothing. */
static void strike_off(struct thread *thread)
{
    threads_lock();
    roster_remove(thread);
    threads_unlock();
    object_release(&thread->waitable.object);
}

/* Starts an enrolled thread on a stack of its own, or leaves it as it is and sets errno. */
static PAL_ERROR launch(struct thread *thread, const struct thread_request *request)
{
    int error = stack_take(request->stack_size, &thread->stack);
    if (error) {
        errno = -error;
        return ERROR_NOT_ENOUGH_MEMORY;
    }
    thread->start = request->start;
    thread->parameter = request->parameter;
    atomic_store_explicit(&thread->gate, request->suspended ? GATE_CLOSED : GATE_OPEN,
                          memory_order_relaxed);
    struct stack stack = thread->stack;
    error = os_thread_create(stack_low(stack), stack_high(stack), run, thread);
    if (error == 0)
        return ERROR_SUCCESS;
    stack_give(stack);
    errno = -error;
    return ERROR_MAX_THRDS_REACHED;
}

/* A handle to the thread, which it keeps the record for. */
static PAL_ERROR open_handle(struct thread *thread, HANDLE *ret_handle)
{
    object_acquire(&thread->waitable.object);
    PAL_ERROR error = handle_open(&thread->waitable.object, ret_handle);
    if (error) {
        object_release(&thread->waitable.object);
        errno = ENOMEM;
    }
    return error;
}

PAL_ERROR thread_create(const struct thread_request *request, HANDLE *ret_handle, DWORD *ret_id)
{
    struct thread *thread;

    ended_collect(0);
    PAL_ERROR error = thread_enrol(true, &thread);
    if (error)
        return error;
    HANDLE handle = NULL;
    error = open_handle(thread, &handle);
    if (error == ERROR_SUCCESS)
        error = launch(thread, request);
    if (error) {
        if (handle)
            (void)handle_close(handle);
        strike_off(thread);
        return error;
    }
    if (ret_id)
        *ret_id = thread_id(thread);
    *ret_handle = handle;
    return ERROR_SUCCESS;
}

PAL_ERROR thread_resume(struct thread *thread)
{
    if (waitable_is_signalled(&thread->waitable))
        return ERROR_INVALID_HANDLE;
    /* Release: pairs with pass_gate. */
    if (atomic_exchange_explicit(&thread->gate, GATE_OPEN, memory_order_release) == GATE_OPEN)
        return ERROR_BAD_COMMAND;
    os_futex_wake_all(&thread->gate);
    return ERROR_SUCCESS;
}

struct thread *thread_find(DWORD id)
{
    threads_lock();
    struct thread *thread = id == ID_UNKNOWN ? NULL : roster_first();
    while (thread && thread_id_if_known(thread) != id)
        thread = thread->next;
    if (thread)
        object_acquire(&thread->waitable.object);
    threads_unlock();
    return thread;
}

void thread_cpu_times(struct thread *thread, uint64_t *ret_kernel, uint64_t *ret_user)
{
    DWORD id = thread_id(thread);

    /* While it is on the roster, the id is its own. */
    threads_lock();
    bool live = !thread->ended;
    if (live)
        os_thread_times(id, ret_kernel, ret_user);
    threads_unlock();
    if (live)
        return;
    *ret_kernel = thread->kernel_time;
    *ret_user = thread->user_time;
}

void thread_end(struct thread *thread)
{
    thread->exit_time = os_clock_filetime();
    os_thread_times_self(&thread->kernel_time, &thread->user_time);

    threads_lock();
    roster_remove(thread);
    thread->ended = true;
    if (thread->created)
        ended_add(thread);
    threads_unlock();
    tls_release(thread);

    /* The last that is done to a created thread's record here; the list has our reference. */
    struct stack stack = thread->stack;
    bool created = thread->created;
    waitable_signal(&thread->waitable);
    if (!created) {
        object_release(&thread->waitable.object);
        return;
    }
    stack_trim(stack);
    ended_collect(ENDED_LIMIT);
}

void thread_before_fork(void)
{
    threads_lock();
}

void thread_after_fork_in_parent(void)
{
    threads_unlock();
}

/* What is not in this process any more has ended, with a code that nobody gave. */
static void end_in_child(struct thread *thread)
{
    thread->exit_code = UINT32_MAX;
    thread->exit_time = os_clock_filetime();
    thread->ended = true;
    tls_release(thread);
    waitable_signal(&thread->waitable);
    object_release(&thread->waitable.object);
}

void thread_after_fork_in_child(void)
{
    struct thread *self = current_peek();
    struct thread *thread = roster_first();

    while (thread) {
        struct thread *next = thread->next;
        if (thread != self) {
            roster_remove(thread);
            end_in_child(thread);
        }
        thread = next;
    }
    threads_unlock();
    ended_after_fork_in_child();
    current_after_fork_in_child();
}
