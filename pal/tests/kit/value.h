/* SPDX-License-Identifier: MIT */
/*
 * One operand of a check, with what it takes to compare and print it. Used through test.h.
 */
#ifndef KIT_VALUE_H
#define KIT_VALUE_H

#include <stdbool.h>
#include <stddef.h>

#ifndef __cplusplus

enum kit_kind { KIT_SIGNED, KIT_UNSIGNED, KIT_BOOL, KIT_POINTER, KIT_STRING, KIT_DOUBLE };

enum kit_operation { KIT_EQ, KIT_NE, KIT_LT, KIT_LE, KIT_GT, KIT_GE, KIT_HAS };

struct kit_value {
    enum kit_kind kind;
    union {
        long long number;
        unsigned long long natural;
        const volatile void *pointer;
        double real;
    };
};

struct kit_value kit_value_signed(long long number);
struct kit_value kit_value_unsigned(unsigned long long natural);
struct kit_value kit_value_bool(bool truth);
struct kit_value kit_value_pointer(const volatile void *pointer);
struct kit_value kit_value_string(const char *string);
struct kit_value kit_value_double(double real);

/* An enumeration is compatible with one of the integer types, so it needs no line of its own. */
#define KIT_VALUE(operand)                                                                         \
    _Generic((operand),                                                                            \
        bool: kit_value_bool,                                                                      \
        char: kit_value_signed,                                                                    \
        signed char: kit_value_signed,                                                             \
        short: kit_value_signed,                                                                   \
        int: kit_value_signed,                                                                     \
        long: kit_value_signed,                                                                    \
        long long: kit_value_signed,                                                               \
        unsigned char: kit_value_unsigned,                                                         \
        unsigned short: kit_value_unsigned,                                                        \
        unsigned int: kit_value_unsigned,                                                          \
        unsigned long: kit_value_unsigned,                                                         \
        unsigned long long: kit_value_unsigned,                                                    \
        float: kit_value_double,                                                                   \
        double: kit_value_double,                                                                  \
        char *: kit_value_string,                                                                  \
        const char *: kit_value_string,                                                            \
        default: kit_value_pointer)(operand)

/* `text` receives the value as it would stand in the source, cut off where it does not fit. */
void kit_value_print(char *text, size_t size, struct kit_value value);
void kit_string_print(char *text, size_t size, const char *string);

bool kit_value_holds(enum kit_operation operation, struct kit_value left, struct kit_value right);

/* Compare, report a failure, and return whether the check held. */
bool kit_check(const char *file, int line, enum kit_operation operation, struct kit_value left,
               struct kit_value right, const char *left_text, const char *right_text);
bool kit_check_truth(const char *file, int line, bool expected, struct kit_value value,
                     const char *text);
bool kit_check_text(const char *file, int line, enum kit_operation operation, const char *left,
                    const char *right, const char *left_text, const char *right_text);

#endif
#endif
