/* SPDX-License-Identifier: MIT */
/* What the command lines of the commands have in common. */
#ifndef PALBENCH_OPTIONS_H
#define PALBENCH_OPTIONS_H

#include <argp.h>
#include <stdint.h>

/*
 * argp_parse, with bad usage told in one line, where argp adds a second one, and with exit code 2.
 * The parser is to answer ARGP_KEY_INIT with options_begin(state).
 */
void options_parse(const struct argp *argp, int argc, char **argv, void *input);
error_t options_begin(struct argp_state *state);

/* The number from least to most that text spells. Ends the program otherwise, naming the option. */
unsigned long options_number(const char *option, const char *text, unsigned long least,
                             unsigned long most);

/*
 * The set of names in a list that commas separate: bit i for names[i]. Ends the program for an
 * unknown name and for an empty list.
 */
uint32_t options_set(const char *option, const char *list, const char *const *names, size_t count);

#endif
