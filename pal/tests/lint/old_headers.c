/* SPDX-License-Identifier: MIT */
/* Builds with headers older than the system call. */
#include <sys/syscall.h>
#undef SYS_membarrier
#undef __NR_membarrier
#include "os/membarrier.c" // NOLINT(bugprone-suspicious-include): that is the point
