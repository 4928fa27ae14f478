/* SPDX-License-Identifier: MIT */
/* What the processor does by itself when a mapping changes. */
#ifndef OS_CPU_H
#define OS_CPU_H

#include <stdbool.h>

enum os_arch { OS_ARCH_X86, OS_ARCH_ARM, OS_ARCH_ARM64, OS_ARCH_RISCV };

/* The architecture that this library was built for. */
#if defined(__x86_64__) || defined(__i386__)
#define OS_ARCH OS_ARCH_X86
#elif defined(__aarch64__)
#define OS_ARCH OS_ARCH_ARM64
#elif defined(__arm__)
#define OS_ARCH OS_ARCH_ARM
#elif defined(__riscv)
#define OS_ARCH OS_ARCH_RISCV
#else
#error "pal: unknown architecture: say in os/cpu.h what a TLB invalidation does to other processors"
#endif

/*
 * Whether an x86 processor can invalidate other processors' TLBs without interrupting them (AMD's
 * INVLPGB, CPUID 8000_0008h EBX bit 3; used by Linux from 6.15 on). False elsewhere.
 */
bool os_cpu_broadcasts_invalidation(void);

#endif
