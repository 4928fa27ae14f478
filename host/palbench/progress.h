/* SPDX-License-Identifier: MIT */
/* A bar on stderr while a measurement runs; nothing when stderr is no terminal. */
#ifndef PALBENCH_PROGRESS_H
#define PALBENCH_PROGRESS_H

#include <stddef.h>

void progress_show(const char *what, size_t done, size_t total);

/* Takes the bar away. To be called before anything else is written to the terminal. */
void progress_clear(void);

#endif
