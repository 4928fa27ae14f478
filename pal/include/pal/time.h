/* SPDX-License-Identifier: MIT */
/* Clocks that only go forward. */
#ifndef PAL_TIME_H
#define PAL_TIME_H

#include <pal/types.h>

/*
 * QueryPerformanceCounter: CLOCK_MONOTONIC in ns. QueryPerformanceFrequency: its ticks a second,
 * 1,000,000,000, always.
 *
 * Return TRUE, or FALSE with the last error ERROR_INVALID_PARAMETER when the pointer is NULL.
 * Thread-safe; never block; work before PAL_Initialize.
 * Contract: Win32 documentation, by those names.
 */
PALIMPORT BOOL PALAPI QueryPerformanceCounter(LARGE_INTEGER *lpPerformanceCount);
PALIMPORT BOOL PALAPI QueryPerformanceFrequency(LARGE_INTEGER *lpFrequency);

/*
 * GetTickCount64: the same clock in ms, which is what waits count in. GetTickCount: its low 32
 * bits, which start again every 49.7 days. Unlike on Windows the clock stands still while the
 * machine is suspended. Thread-safe; never block; work before PAL_Initialize.
 */
PALIMPORT ULONGLONG PALAPI GetTickCount64(VOID);
PALIMPORT DWORD PALAPI GetTickCount(VOID);

#endif
