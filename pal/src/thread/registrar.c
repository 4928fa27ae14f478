/* SPDX-License-Identifier: MIT */
#include "thread/registrar.h"

#include <stddef.h>

#include "os/membarrier.h"
#include "os/native_thread.h"
#include "sync/manager.h"

#define HELPER_NAME "pal-register"
#define HELPER_STACK_SIZE ((size_t)64 * 1024)

static struct {
    void (*done)(int error);
    struct worker_job job;
    struct os_thread helper;
    bool helper_started; /* flush lock, or init lock with no registration being started */
} registrar;

static void register_and_tell(void)
{
    registrar.done(os_membarrier_register());
}

static void run_job(struct worker_job *job)
{
    (void)job;
    register_and_tell();
}

bool registrar_start(void (*done)(int error))
{
    registrar.done = done;
    registrar.job.run = run_job;
    if (worker_submit(&registrar.job))
        return true;
    registrar.helper_started =
        os_thread_start(&registrar.helper, HELPER_NAME, HELPER_STACK_SIZE, register_and_tell) == 0;
    return registrar.helper_started;
}

void registrar_join(void)
{
    if (registrar.helper_started)
        os_thread_join(&registrar.helper);
    registrar.helper_started = false;
}

void registrar_forget(void)
{
    registrar.helper_started = false;
}
