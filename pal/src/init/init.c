/* SPDX-License-Identifier: MIT */
#include "init/init.h"

#include <pal/error.h>
#include <pal/flush.h>
#include <stdbool.h>

#include "init/state.h"
#include "init/trace.h"
#include "os/clock.h"
#include "os/native_thread.h"

struct init_state init_state = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void walk_back_to(unsigned count)
{
    while (init_state.walked_count > count) {
        enum init_row_id id = init_state.walked[--init_state.walked_count];
        if (init_table[id].fini)
            init_table[id].fini();
        init_state.up &= ~INIT_BIT(id);
    }
}

static struct init_context new_context(DWORD flags)
{
    struct init_context context = {.flags = flags, .environment = environment_read()};
    bool ask = context.environment.flush_wish != PAL_FLUSH_METHOD_NONE;

    /* Who opts out of membarrier sits in a sandbox that may not forgive an odd unshare either. */
    context.threads = ask ? os_other_threads() : os_other_threads_libc_knows();
    return context;
}

/* Walks one row at the time *begin_ns, which moves on to the row's end. */
static DWORD walk_row(enum init_row_id id, struct init_context *context, uint64_t *begin_ns)
{
    const struct init_row *row = &init_table[id];
    PAL_THREADS threads = context->threads;
    int error = -row->init(context);
    uint64_t end_ns = os_clock_ns();

    trace_add(&(PAL_INIT_PHASE){
        .name = row->name,
        .begin_ns = *begin_ns,
        .duration_ns = end_ns - *begin_ns,
        .threads = threads,
        .result = error ? row->error : ERROR_SUCCESS,
        .error_number = error,
        .hint = error ? row->hint(error) : NULL,
    });
    *begin_ns = end_ns;
    if (error)
        return row->error;
    if (row->starts_thread)
        context->threads = PAL_THREADS_YES;
    init_state.walked[init_state.walked_count++] = id;
    init_state.up |= INIT_BIT(id);
    return ERROR_SUCCESS;
}

static bool is_missing(enum init_row_id id, DWORD flags)
{
    DWORD flag = init_table[id].flag;

    return (init_state.up & INIT_BIT(id)) == 0 && (flag == 0 || (flags & flag) != 0);
}

static bool anything_missing(DWORD flags)
{
    for (int id = 0; id < INIT_ROW_COUNT; id++)
        if (is_missing((enum init_row_id)id, flags))
            return true;
    return false;
}

static DWORD walk(DWORD flags)
{
    if (!anything_missing(flags))
        return ERROR_SUCCESS;

    const enum init_row_id *order =
        flags & PAL_INITIALIZE_WORKER_FIRST ? init_order_worker_first : init_order;
    unsigned before = init_state.walked_count;
    uint64_t now = os_clock_ns();
    struct init_context context = new_context(flags);
    DWORD error = ERROR_SUCCESS;

    trace_keep(before);
    for (int i = 0; i < INIT_ROW_COUNT && error == ERROR_SUCCESS; i++)
        if (is_missing(order[i], flags))
            error = walk_row(order[i], &context, &now);
    if (error)
        walk_back_to(before);
    if (context.environment.trace_init)
        trace_print(before);
    return error;
}

/* With the init lock held; `seen` is the number of attempts when the caller arrived. */
static DWORD walk_or_share(DWORD flags, unsigned seen)
{
    /*
     * An attempt at the same thing has failed since we arrived: it was under way while we waited,
     * and its answer is ours. A success needs no such care: what it brought is up.
     */
    unsigned attempts = atomic_load_explicit(&init_state.attempts, memory_order_relaxed);
    if (attempts != seen && init_state.last_flags == flags && init_state.last_error)
        return init_state.last_error;

    init_state.last_flags = flags;
    init_state.last_error = walk(flags);
    atomic_store_explicit(&init_state.attempts, attempts + 1, memory_order_relaxed);
    return init_state.last_error;
}

static DWORD bring_up(DWORD flags, unsigned references)
{
    unsigned seen = atomic_load_explicit(&init_state.attempts, memory_order_relaxed);

    pthread_mutex_lock(&init_state.lock);
    DWORD error = walk_or_share(flags, seen);
    if (error == ERROR_SUCCESS)
        init_state.references += references;
    pthread_mutex_unlock(&init_state.lock);
    return error;
}

DWORD init_acquire(DWORD flags)
{
    const DWORD known = PAL_INITIALIZE_CORECLR | PAL_INITIALIZE_WORKER_FIRST;

    return flags & ~known ? ERROR_INVALID_FLAGS : bring_up(flags, 1);
}

DWORD init_ensure(void)
{
    return bring_up(PAL_INITIALIZE_NONE, 0);
}

DWORD init_release(void)
{
    DWORD error = ERROR_SUCCESS;

    pthread_mutex_lock(&init_state.lock);
    if (init_state.references == 0)
        error = ERROR_NOT_READY;
    else if (--init_state.references == 0)
        walk_back_to(0);
    pthread_mutex_unlock(&init_state.lock);
    return error;
}

void init_release_all(void)
{
    pthread_mutex_lock(&init_state.lock);
    init_state.references = 0;
    walk_back_to(0);
    pthread_mutex_unlock(&init_state.lock);
}

void init_forget(unsigned rows)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < init_state.walked_count; i++)
        if (!(INIT_BIT(init_state.walked[i]) & rows)) {
            trace_move(i, kept);
            init_state.walked[kept++] = init_state.walked[i];
        }
    if (kept < init_state.walked_count)
        trace_keep(kept);
    init_state.walked_count = kept;
    init_state.up &= ~rows;
}

void init_stop_worker(void)
{
    pthread_mutex_lock(&init_state.lock);
    if (init_state.up & INIT_BIT(INIT_WORKER)) {
        init_table[INIT_WORKER].fini();
        init_forget(INIT_BIT(INIT_WORKER));
    }
    pthread_mutex_unlock(&init_state.lock);
}

unsigned init_trace(PAL_INIT_PHASE *ret_phases, unsigned capacity)
{
    pthread_mutex_lock(&init_state.lock);
    unsigned count = trace_copy(ret_phases, capacity);
    pthread_mutex_unlock(&init_state.lock);
    return count;
}
