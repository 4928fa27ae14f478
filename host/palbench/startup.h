/* SPDX-License-Identifier: MIT */
#ifndef PALBENCH_STARTUP_H
#define PALBENCH_STARTUP_H

/* argv[0] names the command in messages. Returns the exit code. */
int startup_command(int argc, char **argv);

#endif
