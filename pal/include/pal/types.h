/* SPDX-License-Identifier: MIT */
/*
 * The Win32 types and calling-convention macros that pal's functions use, with the sizes that they
 * have on every Windows and in CoreCLR's PAL: DWORD is 32 bits wide whatever `long` is here.
 */
#ifndef PAL_TYPES_H
#define PAL_TYPES_H

#include <stdint.h>

typedef int BOOL;
typedef uint32_t DWORD;
typedef const char *LPCSTR;

#ifndef VOID
#define VOID void
#endif
#ifndef TRUE
#define TRUE 1
#endif
#ifndef FALSE
#define FALSE 0
#endif

/* Win32 calling conventions have no counterpart on Linux: one convention a machine. */
#define PALAPI

/* Every function that the library exports carries this; everything else in it is hidden. */
#ifdef __cplusplus
#define PALIMPORT extern "C" __attribute__((visibility("default")))
#else
#define PALIMPORT extern __attribute__((visibility("default")))
#endif

#endif
