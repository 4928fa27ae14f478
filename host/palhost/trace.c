/* SPDX-License-Identifier: MIT */
#include "trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* More than the PAL has rows. */
#define MOST_PHASES 16

static DWORD get_phases(PAL_INIT_PHASE phases[MOST_PHASES])
{
    DWORD count = PAL_GetInitTrace(phases, MOST_PHASES);
    return count < MOST_PHASES ? count : MOST_PHASES;
}

void trace_print_failure(DWORD error)
{
    PAL_INIT_PHASE phases[MOST_PHASES];
    DWORD count = get_phases(phases);
    const PAL_INIT_PHASE *failed = count > 0 ? &phases[count - 1] : NULL;

    if (!failed || failed->result != error) {
        (void)fprintf(stderr, "palhost: the PAL does not initialise: error %" PRIu32 "\n", error);
        return;
    }
    (void)fprintf(stderr,
                  "palhost: the PAL does not initialise: row '%s', error %" PRIu32
                  ", errno %d (%s)%s%s\n",
                  failed->name, error, failed->error_number, strerror(failed->error_number),
                  failed->hint ? ": " : "", failed->hint ? failed->hint : "");
}

static const char *threads_name(PAL_THREADS threads)
{
    switch (threads) {
    case PAL_THREADS_NO:
        return "no";
    case PAL_THREADS_YES:
        return "yes";
    default:
        return "unknown";
    }
}

void trace_print_json(uint64_t init_ns)
{
    PAL_INIT_PHASE phases[MOST_PHASES];
    DWORD count = get_phases(phases);
    PAL_FLUSH_INFO flush;

    if (!PAL_GetFlushInfo(&flush))
        return;
    /* Every string below is a constant of the PAL's, and none needs escaping. */
    (void)fprintf(stderr,
                  "{\"flush\":{\"method\":\"%s\",\"locked\":%s,\"registered\":%s},\"phases\":[",
                  PAL_FlushMethodName(flush.method), flush.locked ? "true" : "false",
                  flush.registration == PAL_FLUSH_REGISTRATION_DONE ? "true" : "false");
    for (DWORD i = 0; i < count; i++)
        (void)fprintf(stderr,
                      "%s{\"name\":\"%s\",\"begin_ns\":%" PRIu64 ",\"duration_ns\":%" PRIu64
                      ",\"threads\":\"%s\",\"result\":%" PRIu32 "}",
                      i ? "," : "", phases[i].name, phases[i].begin_ns, phases[i].duration_ns,
                      threads_name(phases[i].threads), phases[i].result);
    (void)fprintf(stderr, "],\"init_ns\":%" PRIu64 "}\n", init_ns);
}
