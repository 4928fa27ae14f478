/* SPDX-License-Identifier: MIT */
/* Between UTF-16, which the API speaks, and UTF-8, which the system does. */
#ifndef BASE_UTF_H
#define BASE_UTF_H

#include <stddef.h>
#include <uchar.h>

/*
 * As many whole characters of `text` as fit, with the final 0, into `size` bytes, at least 1. A
 * surrogate without its other half becomes U+FFFD. Returns the bytes written but for the 0.
 */
size_t utf16_to_utf8(const char16_t *text, char *ret_bytes, size_t size);

#endif
