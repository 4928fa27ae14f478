/* SPDX-License-Identifier: MIT */
/* What the exit code says; the same in every tool of the project. */
#ifndef PALBENCH_EXIT_CODE_H
#define PALBENCH_EXIT_CODE_H

enum exit_code {
    EXIT_YES = 0,
    EXIT_NO = 1,
    EXIT_CANNOT_TELL = 2,
    EXIT_BAD_USAGE = EXIT_CANNOT_TELL,
    EXIT_INTERNAL = 3
};

#endif
