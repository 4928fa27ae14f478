/* SPDX-License-Identifier: MIT */
/* palbench as its callers see it: exit codes, lines, help. No test looks at a time. */
#include <stdio.h>
#include <string.h>

#include "kit/child.h"
#include "kit/test.h"

#define MOST_ARGUMENTS 12

PAL_TEST(palbench, bad_usage_is_one_line_and_code_2)
{
    static char *const bad[][MOST_ARGUMENTS] = {
        {PALBENCH},
        {PALBENCH, "nonsense"},
        {PALBENCH, "--nonsense"},
        {PALBENCH, "startup", "--nonsense"},
        {PALBENCH, "startup", "-x"},
        {PALBENCH, "startup", "--runs"},
        {PALBENCH, "startup", "--runs", "0"},
        {PALBENCH, "startup", "--runs", "-1"},
        {PALBENCH, "startup", "--runs", "3x"},
        {PALBENCH, "startup", "--runs", ""},
        {PALBENCH, "startup", "--runs", "99999999999999999999"},
        {PALBENCH, "startup", "--warmup", "many"},
        {PALBENCH, "startup", "--json", "/nonexistent/file"},
        {PALBENCH, "startup", "--json", "/"},
        {PALBENCH, "startup", "--", "/nonexistent/program"},
        {PALBENCH, "startup", "--", "no-such-program-in-path"},
        {PALBENCH, "startup", "--", "/"},
        {PALBENCH, "startup", "--", ""},
        {PALBENCH, "startup", "--warmup", "0", "--runs", "1", "--", "false"},
        {PALBENCH, "flush", "--cases", "alone,nonsense"},
        {PALBENCH, "flush", "--cases", ""},
        {PALBENCH, "flush", "--cases", "alone,"},
        {PALBENCH, "flush", "--methods", "pal-membarrier"},
        {PALBENCH, "flush", "--json", "/nonexistent/file"},
        {PALBENCH, "flush", "nonsense"},
        {PALBENCH, "flush", "--", "nonsense"},
        {PALBENCH, "spawn", "--nonsense"},
        {PALBENCH, "spawn", "--max"},
        {PALBENCH, "spawn", "--max", "0"},
        {PALBENCH, "spawn", "--max", "1025"},
        {PALBENCH, "spawn", "--max", "4x"},
        {PALBENCH, "spawn", "--json", "/nonexistent/file"},
        {PALBENCH, "spawn", "nonsense"},
        {PALFIRST},
        {PALFIRST, "nonsense"},
        {PALFIRST, "pal", "pthread"},
    };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct kit_child_result result = kit_run_program(bad[i], NULL);
        char *end = strchr(result.output, '\n');
        if (result.exit_code != 2 || !end || end[1])
            kit_fail(__FILE__, __LINE__, "command line %zu: code %d, output: %s", i,
                     result.exit_code, result.output);
    }
}

PAL_TEST(palbench, version_and_help)
{
    struct kit_child_result version =
        kit_run_program((char *const[]){PALBENCH, "--version", NULL}, NULL);
    struct kit_child_result help = kit_run_program((char *const[]){PALBENCH, "--help", NULL}, NULL);

    EXPECT_EQ(version.exit_code, 0);
    EXPECT_STREQ(version.output, "palbench " PAL_VERSION "\n");
    EXPECT_EQ(help.exit_code, 0);
    EXPECT_STRHAS(help.output, "  startup ");
    EXPECT_STRHAS(help.output, "  flush ");
    EXPECT_STRHAS(help.output, "  spawn ");
    EXPECT_STRHAS(help.output, "Examples:");
}

PAL_TEST(palbench, help_of_each_command)
{
    struct kit_child_result startup =
        kit_run_program((char *const[]){PALBENCH, "startup", "--help", NULL}, NULL);
    struct kit_child_result flush =
        kit_run_program((char *const[]){PALBENCH, "flush", "--help", NULL}, NULL);
    struct kit_child_result spawn =
        kit_run_program((char *const[]){PALBENCH, "spawn", "--help", NULL}, NULL);

    EXPECT_EQ(startup.exit_code, 0);
    EXPECT_STRHAS(startup.output, "Usage: palbench startup [OPTION...] [-- COMMAND...]");
    EXPECT_STRHAS(startup.output, "Examples:");
    EXPECT_EQ(flush.exit_code, 0);
    EXPECT_STRHAS(flush.output, "Usage: palbench flush [OPTION...]\n");
    EXPECT_STRHAS(flush.output, "Examples:");
    EXPECT_EQ(spawn.exit_code, 0);
    EXPECT_STRHAS(spawn.output, "Usage: palbench spawn [OPTION...]\n");
    EXPECT_STRHAS(spawn.output, "Examples:");
}

/* Else the JSON's file would be descriptor 1, and have the table in it. */
PAL_TEST(palbench, stdout_that_is_closed_is_an_error)
{
    char *const argv[] = {"/bin/sh", "-c", "exec \"$0\" startup --runs 1 --json /dev/full >&-",
                          PALBENCH, NULL};
    struct kit_child_result result = kit_run_program(argv, NULL);

    EXPECT_EQ(result.exit_code, 3);
    EXPECT_STREQ(result.output, "palbench: standard output is closed\n");
}

PAL_TEST(palbench, environment_of_the_caller_does_not_count)
{
    char *const argv[] = {PALBENCH,    "flush",      "--quick", "--cases",   "alone",
                          "--methods", "membarrier", "--json",  "/dev/null", NULL};
    char *const environment[] = {"PAL_FLUSH=bogus", "PAL_TRACE=init", "PAL_STACK_SIZE=x", NULL};
    struct kit_child_result result = kit_run_program(argv, environment);

    EXPECT_EQ(result.exit_code, 0);
    EXPECT_STRHAS(result.output, "pal-membarrier");
    EXPECT_TRUE(strstr(result.output, "init row") == NULL);
}
