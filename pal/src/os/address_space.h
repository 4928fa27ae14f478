/* SPDX-License-Identifier: MIT */
/* The addresses that a program's mappings may have. */
#ifndef OS_ADDRESS_SPACE_H
#define OS_ADDRESS_SPACE_H

#include <stdint.h>

/* Kernels are built so that nothing is mapped below, whatever a laxer vm.mmap_min_addr says. */
#define OS_ADDRESS_LOWEST ((uintptr_t)64 * 1024)

/*
 * The last byte that the kernel gives to a program that does not ask for more. A kernel or
 * processor with fewer address bits ends earlier.
 */
#if defined(__LP64__) && defined(__aarch64__)
#define OS_ADDRESS_HIGHEST (((uintptr_t)1 << 48) - 1)
#elif defined(__LP64__) && defined(__x86_64__)
#define OS_ADDRESS_HIGHEST (((uintptr_t)1 << 47) - 4096 - 1) /* it keeps the last page */
#elif defined(__LP64__)
#define OS_ADDRESS_HIGHEST (((uintptr_t)1 << 47) - 1)
#else
#define OS_ADDRESS_HIGHEST (UINTPTR_MAX - 4096) /* a 64-bit kernel gives all but the last page */
#endif

#endif
