/* SPDX-License-Identifier: MIT */
/*
 * The tracing side of trace.h.
 */
#ifndef KIT_TRACER_H
#define KIT_TRACER_H

#include "trace.h"

/* An option that prctl does not know, and the marks around the body. */
enum { KIT_MARK_OPTION = 0x6b69746d, KIT_MARK_BEGIN = -1, KIT_MARK_END = -2 };

/* Starts to trace a process that waits to be told to go on. Returns 0 or -errno. */
int kit_tracer_seize(pid_t pid);

/* Records until all that was traced has ended. Returns 0 or -errno, with everything killed. */
int kit_tracer_record(pid_t pid, double deadline, struct kit_trace_log *log);

#endif
