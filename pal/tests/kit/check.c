/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "test.h"

static const char *symbol(enum kit_operation operation)
{
    static const char *const symbols[] = {
        [KIT_EQ] = "==", [KIT_NE] = "!=", [KIT_LT] = "<",    [KIT_LE] = "<=",
        [KIT_GT] = ">",  [KIT_GE] = ">=", [KIT_HAS] = "has",
    };
    return symbols[operation];
}

static void report(const char *file, int line, enum kit_operation operation, const char *left,
                   const char *right, const char *left_text, const char *right_text)
{
    kit_fail(file, line, "expected: %s %s %s\n    left: %s\n   right: %s", left_text,
             symbol(operation), right_text, left, right);
}

bool kit_check(const char *file, int line, enum kit_operation operation, struct kit_value left,
               struct kit_value right, const char *left_text, const char *right_text)
{
    if (kit_value_holds(operation, left, right)) {
        return true;
    }
    char left_value[256];
    char right_value[256];
    kit_value_print(left_value, sizeof(left_value), left);
    kit_value_print(right_value, sizeof(right_value), right);
    report(file, line, operation, left_value, right_value, left_text, right_text);
    return false;
}

bool kit_check_truth(const char *file, int line, bool expected, struct kit_value value,
                     const char *text)
{
    if (kit_value_holds(KIT_NE, value, kit_value_signed(0)) == expected) {
        return true;
    }
    char shown[256];
    kit_value_print(shown, sizeof(shown), value);
    kit_fail(file, line, "expected: %s is %s\n   value: %s", text, expected ? "true" : "false",
             shown);
    return false;
}

static bool text_holds(enum kit_operation operation, const char *left, const char *right)
{
    if (left == NULL || right == NULL) {
        return operation == KIT_HAS ? false : (left == right) == (operation == KIT_EQ);
    }
    if (operation == KIT_HAS) {
        return strstr(left, right) != NULL;
    }
    return (strcmp(left, right) == 0) == (operation == KIT_EQ);
}

bool kit_check_text(const char *file, int line, enum kit_operation operation, const char *left,
                    const char *right, const char *left_text, const char *right_text)
{
    if (text_holds(operation, left, right)) {
        return true;
    }
    char left_value[1536];
    char right_value[1536];
    kit_string_print(left_value, sizeof(left_value), left);
    kit_string_print(right_value, sizeof(right_value), right);
    report(file, line, operation, left_value, right_value, left_text, right_text);
    return false;
}
