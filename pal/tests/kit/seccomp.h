/* SPDX-License-Identifier: MIT */
/*
 * System calls that a process may no longer make. For children: there is no way back. A filter
 * holds for all threads of the process, its later children and what they execute.
 *
 * Each returns 0 or -errno; where filters are refused (under an emulator, say) the test is to skip.
 * Where several filters speak about one call, the harshest answer counts: kill, then the error.
 */
#ifndef KIT_SECCOMP_H
#define KIT_SECCOMP_H

/* The call fails with the error; with 0 it returns 0 and does nothing. */
int kit_deny_syscall(int nr, int error);

/* The same, only where the low 32 bits of its first argument are arg0. */
int kit_deny_syscall_arg0(int nr, unsigned arg0, int error);

/* The call ends the process with SIGSYS. */
int kit_kill_on_syscall(int nr);

#endif
