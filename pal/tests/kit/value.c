/* SPDX-License-Identifier: MIT */
#include "value.h"

#include <stdio.h>

struct kit_value kit_value_signed(long long number)
{
    return (struct kit_value){.kind = KIT_SIGNED, .number = number};
}

struct kit_value kit_value_unsigned(unsigned long long natural)
{
    return (struct kit_value){.kind = KIT_UNSIGNED, .natural = natural};
}

struct kit_value kit_value_bool(bool truth)
{
    return (struct kit_value){.kind = KIT_BOOL, .natural = truth};
}

struct kit_value kit_value_pointer(const volatile void *pointer)
{
    return (struct kit_value){.kind = KIT_POINTER, .pointer = pointer};
}

struct kit_value kit_value_string(const char *string)
{
    return (struct kit_value){.kind = KIT_STRING, .pointer = string};
}

struct kit_value kit_value_double(double real)
{
    return (struct kit_value){.kind = KIT_DOUBLE, .real = real};
}

void kit_string_print(char *text, size_t size, const char *string)
{
    if (string == NULL) {
        (void)snprintf(text, size, "NULL");
        return;
    }
    size_t used = 0;
    const size_t spare = sizeof("\\x00\"...");
    text[used++] = '"';
    for (; *string != '\0' && used + spare < size; string++) {
        const unsigned char byte = (unsigned char)*string;
        if (byte == '\n') {
            used += (size_t)snprintf(text + used, size - used, "\\n");
        } else if (byte < ' ' || byte == 0x7f) {
            used += (size_t)snprintf(text + used, size - used, "\\x%02x", byte);
        } else {
            text[used++] = *string;
        }
    }
    (void)snprintf(text + used, size - used, *string == '\0' ? "\"" : "\"...");
}

void kit_value_print(char *text, size_t size, struct kit_value value)
{
    switch (value.kind) {
    case KIT_SIGNED:
        (void)snprintf(text, size, "%lld", value.number);
        break;
    case KIT_UNSIGNED:
        (void)snprintf(text, size, value.natural > 9 ? "%llu (0x%llx)" : "%llu", value.natural,
                       value.natural);
        break;
    case KIT_BOOL:
        (void)snprintf(text, size, "%s", value.natural != 0 ? "true" : "false");
        break;
    case KIT_POINTER:
        (void)snprintf(text, size, "%p", (const void *)value.pointer);
        break;
    case KIT_STRING: {
        const int used = snprintf(text, size, "%p ", (const void *)value.pointer);
        kit_string_print(text + used, size - (size_t)used, (const char *)value.pointer);
        break;
    }
    case KIT_DOUBLE:
        (void)snprintf(text, size, "%.17g", value.real);
        break;
    }
}

/* -1, 0 or 1; 2 where the two have no order (NaN). */
static int order_reals(double left, double right)
{
    if (left != left || right != right) {
        return 2;
    }
    return (left > right) - (left < right);
}

static double as_real(struct kit_value value)
{
    switch (value.kind) {
    case KIT_DOUBLE:
        return value.real;
    case KIT_SIGNED:
        return (double)value.number;
    default:
        return (double)value.natural;
    }
}

/* Pointers and truths are naturals here: a pointer may be compared with 0. */
static unsigned long long as_natural(struct kit_value value)
{
    if (value.kind == KIT_POINTER || value.kind == KIT_STRING) {
        return (unsigned long long)(size_t)value.pointer;
    }
    return value.natural;
}

static int order(struct kit_value left, struct kit_value right)
{
    if (left.kind == KIT_DOUBLE || right.kind == KIT_DOUBLE) {
        return order_reals(as_real(left), as_real(right));
    }
    const bool left_negative = left.kind == KIT_SIGNED && left.number < 0;
    const bool right_negative = right.kind == KIT_SIGNED && right.number < 0;
    if (left_negative != right_negative) {
        return left_negative ? -1 : 1;
    }
    if (left_negative) {
        return (left.number > right.number) - (left.number < right.number);
    }
    const unsigned long long a = as_natural(left);
    const unsigned long long b = as_natural(right);
    return (a > b) - (a < b);
}

bool kit_value_holds(enum kit_operation operation, struct kit_value left, struct kit_value right)
{
    const int sign = order(left, right);
    switch (operation) {
    case KIT_EQ:
        return sign == 0;
    case KIT_NE:
        return sign != 0;
    case KIT_LT:
        return sign == -1;
    case KIT_LE:
        return sign == -1 || sign == 0;
    case KIT_GT:
        return sign == 1;
    case KIT_GE:
        return sign == 1 || sign == 0;
    case KIT_HAS:
        break;
    }
    return false;
}
