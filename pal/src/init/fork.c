/* SPDX-License-Identifier: MIT */
#include "init/fork.h"

#include "init/init.h"
#include "init/state.h"
#include "object/handle.h"
#include "object/pool.h"
#include "os/native_thread.h"
#include "sync/manager.h"
#include "thread/flush.h"
#include "thread/thread.h"

static void before_fork(void)
{
    pthread_mutex_lock(&init_state.lock);
    flush_before_fork();
    manager_before_fork();
    thread_before_fork();
    handle_before_fork();
    pool_before_fork();
}

static void after_fork_in_parent(void)
{
    pool_after_fork();
    handle_after_fork();
    thread_after_fork_in_parent();
    manager_after_fork_in_parent();
    flush_after_fork_in_parent();
    pthread_mutex_unlock(&init_state.lock);
}

static void after_fork_in_child(void)
{
    pool_after_fork();
    handle_after_fork();
    thread_after_fork_in_child();
    manager_after_fork_in_child();
    flush_after_fork_in_child();
    init_forget(INIT_BIT(INIT_SYNC_MANAGER) | INIT_BIT(INIT_WORKER));
    pthread_mutex_unlock(&init_state.lock);
}

int fork_handlers_install(void)
{
    if (init_state.fork_handlers)
        return 0;
    int error = os_at_fork(before_fork, after_fork_in_parent, after_fork_in_child);
    init_state.fork_handlers = error == 0;
    return error;
}

/*
 * When the library is loaded, ahead of any use of the init lock: a fork during the very first
 * initialisation would otherwise hand a locked one on to the child. Should it fail, the row tries
 * again and tells.
 */
__attribute__((constructor)) static void install_early(void)
{
    (void)fork_handlers_install();
}
