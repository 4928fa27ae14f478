/* SPDX-License-Identifier: MIT */
#ifndef PALBENCH_FLUSH_H
#define PALBENCH_FLUSH_H

/* argv[0] names the command in messages. Returns the exit code. */
int flush_command(int argc, char **argv);

#endif
