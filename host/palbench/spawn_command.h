/* SPDX-License-Identifier: MIT */
/* Not spawn.h: that is a header of libc. */
#ifndef PALBENCH_SPAWN_COMMAND_H
#define PALBENCH_SPAWN_COMMAND_H

/* argv[0] names the command in messages. Returns the exit code. */
int spawn_command(int argc, char **argv);

#endif
