/* SPDX-License-Identifier: MIT */
#include "init/trace.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "init/table.h"

static PAL_INIT_PHASE phases[INIT_ROW_COUNT];
static unsigned phase_count;

void trace_keep(unsigned count)
{
    phase_count = count;
}

void trace_move(unsigned from, unsigned to)
{
    phases[to] = phases[from];
}

void trace_add(const PAL_INIT_PHASE *phase)
{
    phases[phase_count++] = *phase;
}

unsigned trace_copy(PAL_INIT_PHASE *ret_phases, unsigned capacity)
{
    unsigned count = phase_count < capacity ? phase_count : capacity;

    if (count > 0)
        memcpy(ret_phases, phases, count * sizeof *phases);
    return phase_count;
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

void trace_print(unsigned first)
{
    if (first == phase_count)
        return;
    (void)dprintf(STDERR_FILENO, "pal: %-14s %12s %12s %14s %7s\n", "init row", "begin ns",
                  "duration ns", "other threads", "result");
    for (unsigned i = first; i < phase_count; i++) {
        const PAL_INIT_PHASE *phase = &phases[i];
        (void)dprintf(STDERR_FILENO, "pal: %-14s %12llu %12llu %14s %7u\n", phase->name,
                      (unsigned long long)(phase->begin_ns - phases[first].begin_ns),
                      (unsigned long long)phase->duration_ns, threads_name(phase->threads),
                      (unsigned)phase->result);
    }
}
