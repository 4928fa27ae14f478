/* SPDX-License-Identifier: MIT */
#include "init/table.h"

#include <errno.h>
#include <pal/error.h>

#include "init/fork.h"
#include "os/clock.h"
#include "os/page.h"
#include "sync/manager.h"
#include "thread/current.h"
#include "thread/ended.h"
#include "thread/flush.h"
#include "thread/hint.h"
#include "thread/stack.h"

static int init_system(struct init_context *context)
{
    (void)context;
    int error = os_page_size_init();
    return error ? error : os_clock_init();
}

static int init_environment(struct init_context *context)
{
    return context->environment.error;
}

static int init_fork_handlers(struct init_context *context)
{
    (void)context;
    return fork_handlers_install();
}

static int init_current_thread(struct init_context *context)
{
    stack_set_default_size(context->environment.stack_size);
    return current_init();
}

static void fini_current_thread(void)
{
    ended_collect_all();
    current_fini();
    stack_drop_cached();
}

static int init_flush(struct init_context *context)
{
    return flush_init(context->environment.flush_wish, context->threads,
                      (context->flags & PAL_INITIALIZE_WORKER_FIRST) != 0);
}

static int init_sync_manager(struct init_context *context)
{
    (void)context;
    return manager_open();
}

static int init_worker(struct init_context *context)
{
    (void)context;
    return worker_start();
}

static const char *hint_system(int error)
{
    (void)error;
    return "this kernel or sandbox gives no page size or no monotonic clock";
}

static const char *hint_environment(int error)
{
    (void)error;
    return "PAL_FLUSH takes membarrier, mprotect, global or none; PAL_STACK_SIZE takes bytes; "
           "PAL_TRACE takes init";
}

static const char *hint_fork_handlers(int error)
{
    return error == ENOMEM ? "free some memory" : NULL;
}

static const char *hint_current_thread(int error)
{
    return error == EAGAIN ? "use fewer thread-specific data keys (pthread_key_create)" : NULL;
}

static const char *hint_flush(int error)
{
    if (error == ENOMEM)
        return "free some memory or address space";
    return "no process-wide barrier here: allow membarrier(2) in the sandbox or container "
           "profile, or unset PAL_FLUSH or set it to a method that works here";
}

static const char *hint_sync_manager(int error)
{
    return error == EMFILE || error == ENFILE ? "raise the limit of open files (ulimit -n)" : NULL;
}

const struct init_row init_table[INIT_ROW_COUNT] = {
    [INIT_SYSTEM] =
        {
            .name = "system",
            .error = ERROR_PALINIT_SYSTEM,
            .init = init_system,
            .hint = hint_system,
        },
    [INIT_ENVIRONMENT] =
        {
            .name = "environment",
            .error = ERROR_PALINIT_ENV,
            .init = init_environment,
            .hint = hint_environment,
        },
    [INIT_FORK_HANDLERS] =
        {
            .name = "fork handlers",
            .error = ERROR_PALINIT_FORK_HANDLERS,
            .init = init_fork_handlers,
            .hint = hint_fork_handlers,
        },
    [INIT_CURRENT_THREAD] =
        {
            .name = "current thread",
            .error = ERROR_PALINIT_CURRENT_THREAD,
            .needs =
                INIT_BIT(INIT_SYSTEM) | INIT_BIT(INIT_ENVIRONMENT) | INIT_BIT(INIT_FORK_HANDLERS),
            .init = init_current_thread,
            .fini = fini_current_thread,
            .hint = hint_current_thread,
        },
    [INIT_FLUSH] =
        {
            .name = "flush",
            .error = ERROR_PALINIT_INITIALIZE_FLUSH_PROCESS_WRITE_BUFFERS,
            .needs =
                INIT_BIT(INIT_SYSTEM) | INIT_BIT(INIT_ENVIRONMENT) | INIT_BIT(INIT_FORK_HANDLERS),
            .wants_one_thread = true,
            .init = init_flush,
            .fini = flush_fini,
            .hint = hint_flush,
        },
    [INIT_SYNC_MANAGER] =
        {
            .name = "sync manager",
            .error = ERROR_PALINIT_SYNC_MANAGER,
            .flag = PAL_INITIALIZE_SYNC_THREAD,
            .needs = INIT_BIT(INIT_FORK_HANDLERS),
            .init = init_sync_manager,
            .fini = manager_close,
            .hint = hint_sync_manager,
        },
    [INIT_WORKER] =
        {
            .name = "worker",
            .error = ERROR_PALINIT_WORKER,
            .flag = PAL_INITIALIZE_SYNC_THREAD,
            .needs = INIT_BIT(INIT_SYNC_MANAGER),
            .starts_thread = true,
            .init = init_worker,
            .fini = worker_stop,
            .hint = thread_hint,
        },
};

const enum init_row_id init_order[INIT_ROW_COUNT] = {
    INIT_SYSTEM, INIT_ENVIRONMENT,  INIT_FORK_HANDLERS, INIT_CURRENT_THREAD,
    INIT_FLUSH,  INIT_SYNC_MANAGER, INIT_WORKER,
};

const enum init_row_id init_order_worker_first[INIT_ROW_COUNT] = {
    INIT_SYSTEM,       INIT_ENVIRONMENT, INIT_FORK_HANDLERS, INIT_CURRENT_THREAD,
    INIT_SYNC_MANAGER, INIT_WORKER,      INIT_FLUSH,
};
