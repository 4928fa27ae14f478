/* SPDX-License-Identifier: MIT */
#include "base/utf.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define REPLACEMENT 0xFFFDu

static bool is_high_surrogate(char16_t unit)
{
    return (unit & 0xFC00) == 0xD800;
}

static bool is_low_surrogate(char16_t unit)
{
    return (unit & 0xFC00) == 0xDC00;
}

/* The character at **text, which moves on past it. */
static uint32_t next_character(const char16_t **text)
{
    char16_t unit = *(*text)++;

    if (is_high_surrogate(unit) && is_low_surrogate(**text))
        return 0x10000u + ((uint32_t)(unit & 0x3FF) << 10) + (*(*text)++ & 0x3FFu);
    return is_high_surrogate(unit) || is_low_surrogate(unit) ? REPLACEMENT : unit;
}

/* Up to four bytes; returns how many. */
static size_t encode(uint32_t character, char bytes[4])
{
    if (character < 0x80) {
        bytes[0] = (char)character;
        return 1;
    }
    size_t length = character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
    const unsigned char lead[] = {0, 0, 0xC0, 0xE0, 0xF0};

    for (size_t i = length - 1; i > 0; i--) {
        bytes[i] = (char)(0x80 | (character & 0x3F));
        character >>= 6;
    }
    bytes[0] = (char)(lead[length] | character);
    return length;
}

size_t utf16_to_utf8(const char16_t *text, char *ret_bytes, size_t size)
{
    size_t used = 0;

    while (*text != 0) {
        char bytes[4];
        size_t length = encode(next_character(&text), bytes);
        if (used + length >= size)
            break;
        memcpy(ret_bytes + used, bytes, length);
        used += length;
    }
    ret_bytes[used] = '\0';
    return used;
}
