/* SPDX-License-Identifier: MIT */
/* What initialisation did, as told by the PAL. */
#ifndef PALHOST_TRACE_H
#define PALHOST_TRACE_H

#include <pal.h>

/* One line on stderr: which row failed, with which errno, and what to do about it. */
void trace_print_failure(DWORD error);

/* One JSON object on stderr. init_ns: the whole call's time, in ns. */
void trace_print_json(uint64_t init_ns);

#endif
