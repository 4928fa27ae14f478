/* SPDX-License-Identifier: MIT */
/* Where the programs are that palbench runs. */
#ifndef PALBENCH_TOOL_H
#define PALBENCH_TOOL_H

#include <stdbool.h>

/* Whether there is a program at the path. */
bool tool_executable(const char *path);

/*
 * The path, to be freed, of a program of ours: beside palbench, where a build puts it, or where an
 * installation puts what is no command. Ends the program when it is in neither place.
 */
char *tool_find(const char *name);

#endif
