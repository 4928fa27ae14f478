/* SPDX-License-Identifier: MIT */
#include "seccomp.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define THIS_ARCH AUDIT_ARCH_X86_64
#elif defined(__i386__)
#define THIS_ARCH AUDIT_ARCH_I386
#elif defined(__aarch64__)
#define THIS_ARCH AUDIT_ARCH_AARCH64
#elif defined(__arm__)
#define THIS_ARCH AUDIT_ARCH_ARM
#elif defined(__riscv) && __riscv_xlen == 64
#define THIS_ARCH AUDIT_ARCH_RISCV64
#elif defined(__powerpc64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define THIS_ARCH AUDIT_ARCH_PPC64LE
#elif defined(__s390x__)
#define THIS_ARCH AUDIT_ARCH_S390X
#endif

/* Where the low half of the first argument is. */
#define ARG0_AT                                                                                    \
    (offsetof(struct seccomp_data, args) + (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 4 : 0))

#ifdef THIS_ARCH

static int install(struct sock_filter *code, size_t length)
{
    const struct sock_fprog program = {.len = (unsigned short)length, .filter = code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == -1) {
        return -errno;
    }
    const long result =
        syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
    if (result > 0) {
        return -EBUSY; /* the id of a thread that has filters of its own */
    }
    return result == -1 ? -errno : 0;
}

static int filter(int nr, const unsigned *arg0, unsigned action)
{
    /* Jumps count the instructions that they leave out; the last two are "allow" and "act". */
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, THIS_ARCH, 0, 4),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)nr, 0, 2),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, ARG0_AT),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, arg0 != NULL ? *arg0 : 0, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, action),
    };
    if (arg0 == NULL) {
        code[5] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JA, 1, 0, 0);
    }
    return install(code, sizeof(code) / sizeof(code[0]));
}

#else

static int filter(int nr, const unsigned *arg0, unsigned action)
{
    (void)nr;
    (void)arg0;
    (void)action;
    return -ENOSYS;
}

#endif

int kit_deny_syscall(int nr, int error)
{
    return filter(nr, NULL, SECCOMP_RET_ERRNO | ((unsigned)error & SECCOMP_RET_DATA));
}

int kit_deny_syscall_arg0(int nr, unsigned arg0, int error)
{
    return filter(nr, &arg0, SECCOMP_RET_ERRNO | ((unsigned)error & SECCOMP_RET_DATA));
}

int kit_kill_on_syscall(int nr)
{
    return filter(nr, NULL, SECCOMP_RET_KILL_PROCESS);
}
