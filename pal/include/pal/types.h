/* SPDX-License-Identifier: MIT */
/*
 * The Win32 types and calling-convention macros that pal's functions use, with the sizes that they
 * have on every Windows and in CoreCLR's PAL: DWORD is 32 bits wide whatever `long` is here.
 */
#ifndef PAL_TYPES_H
#define PAL_TYPES_H

#include <stddef.h>
#include <stdint.h>
#ifndef __cplusplus
#include <uchar.h>
#endif

typedef int BOOL, *PBOOL, *LPBOOL;
typedef uint8_t BYTE, *PBYTE, *LPBYTE;
typedef uint16_t WORD, *PWORD, *LPWORD;
typedef uint32_t DWORD, *PDWORD, *LPDWORD;
typedef uint32_t UINT, ULONG, *PUINT, *PULONG;
typedef int32_t INT, LONG, *PINT, *PLONG, *LPLONG;
typedef int64_t LONGLONG, LONG64;
typedef uint64_t ULONGLONG, ULONG64, DWORD64;
typedef intptr_t INT_PTR, LONG_PTR;
typedef uintptr_t UINT_PTR, ULONG_PTR, DWORD_PTR, *PULONG_PTR, *PDWORD_PTR;
typedef size_t SIZE_T, *PSIZE_T;
typedef void *PVOID, *LPVOID;
typedef const void *LPCVOID;

typedef char CHAR, *PCHAR, *LPSTR, *PSTR;
typedef const char *LPCSTR, *PCSTR;
typedef char16_t WCHAR, *PWCHAR, *LPWSTR, *PWSTR; /* UTF-16, whatever wchar_t is here */
typedef const char16_t *LPCWSTR, *PCWSTR;

/* A reference to an object of pal's, or a pseudo-handle. Opaque; its low two bits are ignored. */
typedef void *HANDLE, **PHANDLE, **LPHANDLE;
#define INVALID_HANDLE_VALUE ((HANDLE)(intptr_t)-1) /* what no function here hands out */

/* S_OK, or 0x80070000 plus a Win32 error. */
typedef int32_t HRESULT;
#define S_OK ((HRESULT)0)
#define SUCCEEDED(hr) ((HRESULT)(hr) >= 0)
#define FAILED(hr) ((HRESULT)(hr) < 0)
#define HRESULT_FROM_WIN32(error)                                                                  \
    ((error) == 0 ? S_OK : (HRESULT)(((uint32_t)(error)&0xFFFFu) | UINT32_C(0x80070000)))

typedef union _LARGE_INTEGER {
    struct {
        DWORD LowPart;
        LONG HighPart;
    } u;
    LONGLONG QuadPart;
} LARGE_INTEGER, *PLARGE_INTEGER;

/* A time, in units of 100 ns since 1601-01-01 UTC, or a duration in those units. */
typedef struct _FILETIME {
    DWORD dwLowDateTime;
    DWORD dwHighDateTime;
} FILETIME, *PFILETIME, *LPFILETIME;

/* Accepted by every function that creates an object, and ignored: nothing is inherited. */
typedef struct _SECURITY_ATTRIBUTES {
    DWORD nLength;
    LPVOID lpSecurityDescriptor;
    BOOL bInheritHandle;
} SECURITY_ATTRIBUTES, *PSECURITY_ATTRIBUTES, *LPSECURITY_ATTRIBUTES;

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
#ifndef __cdecl
#define __cdecl
#endif

/* Every function that the library exports carries this; everything else in it is hidden. */
#ifdef __cplusplus
#define PALIMPORT extern "C" __attribute__((visibility("default")))
#else
#define PALIMPORT extern __attribute__((visibility("default")))
#endif

#endif
