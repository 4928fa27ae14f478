/* SPDX-License-Identifier: MIT */
#include "flush_impls.h"

#include <err.h>
#include <pal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exit_code.h"
#include "flush_raw.h"

#define FAST 200, 10 /* calls, warmup */
#define SLOW 1, 0
#define MOST_PHASES 16

const char *const flush_method_names[METHOD_COUNT] = {
    [METHOD_MEMBARRIER] = "membarrier",
    [METHOD_MPROTECT] = "mprotect",
    [METHOD_SIGNAL] = "signal",
    [METHOD_GLOBAL] = "global",
};

const struct flush_impl flush_impls[IMPL_COUNT] = {
    [IMPL_PAL_MEMBARRIER] = {"pal-membarrier", METHOD_MEMBARRIER, IMPL_RAW_MEMBARRIER, NULL,
                             FlushProcessWriteBuffers, FAST},
    [IMPL_RAW_MEMBARRIER] = {"raw-membarrier", METHOD_MEMBARRIER, IMPL_NONE,
                             flush_raw_open_membarrier, flush_raw_membarrier, FAST},
    [IMPL_PAL_MPROTECT] = {"pal-mprotect", METHOD_MPROTECT, IMPL_RAW_MPROTECT, NULL,
                           FlushProcessWriteBuffers, FAST},
    [IMPL_RAW_MPROTECT] = {"raw-mprotect", METHOD_MPROTECT, IMPL_NONE, flush_raw_open_mprotect,
                           flush_raw_mprotect, FAST},
    [IMPL_PAL_SIGNAL] = {"pal-signal", METHOD_SIGNAL, IMPL_NONE, NULL, FlushProcessWriteBuffers,
                         SLOW},
    [IMPL_PAL_GLOBAL] = {"pal-global", METHOD_GLOBAL, IMPL_RAW_GLOBAL, NULL,
                         FlushProcessWriteBuffers, SLOW},
    [IMPL_RAW_GLOBAL] = {"raw-global", METHOD_GLOBAL, IMPL_NONE, flush_raw_open_global,
                         flush_raw_global, SLOW},
};

/* What the PAL is initialised for; NULL when it is not. */
static const char *method_in_force;

static void leave_method(void)
{
    if (method_in_force)
        PAL_Terminate();
    method_in_force = NULL;
}

static void explain_failure(const char *method, char reason[FLUSH_REASON_SIZE])
{
    PAL_INIT_PHASE phases[MOST_PHASES];
    DWORD code = GetLastError();
    DWORD count = PAL_GetInitTrace(phases, MOST_PHASES);
    const PAL_INIT_PHASE *failed =
        count ? &phases[(count < MOST_PHASES ? count : MOST_PHASES) - 1] : NULL;

    (void)snprintf(
        reason, FLUSH_REASON_SIZE,
        "this version of the PAL does not initialise with PAL_FLUSH=%s: error %u%s%s%s%s", method,
        code, failed && failed->error_number ? ", " : "",
        failed && failed->error_number ? strerror(failed->error_number) : "",
        failed && failed->hint ? ": " : "", failed && failed->hint ? failed->hint : "");
}

/* Whether flushes are now done by the method; else says why not. */
static bool enter_method(const char *method, char reason[FLUSH_REASON_SIZE])
{
    PAL_FLUSH_INFO info;

    if (method_in_force && strcmp(method, method_in_force) == 0)
        return true;
    leave_method();
    if (setenv("PAL_FLUSH", method, 1) != 0)
        err(EXIT_INTERNAL, "cannot set PAL_FLUSH");
    if (PAL_InitializeWithFlags(0, NULL, PAL_INITIALIZE_NONE) != 0) {
        explain_failure(method, reason);
        return false;
    }
    method_in_force = method;
    if (!PAL_GetFlushInfo(&info))
        errx(EXIT_INTERNAL, "PAL_GetFlushInfo: error %u", GetLastError());
    if (info.interim == info.method && strcmp(PAL_FlushMethodName(info.method), method) == 0)
        return true;
    (void)snprintf(reason, FLUSH_REASON_SIZE, "with PAL_FLUSH=%s the PAL flushes by %s", method,
                   PAL_FlushMethodName(info.interim));
    leave_method();
    return false;
}

void flush_impls_try(uint32_t methods, struct flush_availability availability[IMPL_COUNT])
{
    for (size_t i = 0; i < IMPL_COUNT; i++) {
        const struct flush_impl *impl = &flush_impls[i];
        char *reason = availability[i].reason;

        *reason = '\0';
        if (!(methods & (UINT32_C(1) << impl->method)))
            continue;
        if (!impl->open) {
            (void)enter_method(flush_method_names[impl->method], reason);
            continue;
        }
        int error = impl->open();
        if (error)
            (void)snprintf(reason, FLUSH_REASON_SIZE, "%s", strerror(-error));
    }
    leave_method();
}

void flush_impl_prepare(const struct flush_impl *impl)
{
    char reason[FLUSH_REASON_SIZE];

    if (!impl->open && !enter_method(flush_method_names[impl->method], reason))
        errx(EXIT_INTERNAL, "cannot go on measuring %s: %s", impl->name, reason);
}
