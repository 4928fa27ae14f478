/* SPDX-License-Identifier: MIT */
#include "child.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process.h"

struct files {
    int output;
    int report;
};

/* False with errno. */
static bool open_files(struct files *files)
{
    files->output = kit_report_open("output");
    files->report = files->output != -1 ? kit_report_open("report") : -1;
    if (files->report == -1 && files->output != -1) {
        const int error = errno;
        (void)close(files->output);
        errno = error;
    }
    return files->report != -1;
}

static void close_files(const struct files *files)
{
    (void)close(files->output);
    (void)close(files->report);
}

static _Noreturn void be_child(const struct files *files, void (*body)(void *), void *arg)
{
    (void)dup2(files->output, STDOUT_FILENO);
    (void)dup2(files->output, STDERR_FILENO);
    (void)close(files->output);
    kit_child_enter(files->report);
    body(arg);
    kit_child_leave();
}

static void take_status(struct kit_child_result *result, int status)
{
    result->exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    result->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

struct kit_child_result kit_probe_child(void (*body)(void *), void *arg, double seconds)
{
    struct kit_child_result result = {.exit_code = -1};
    struct files files;
    if (!open_files(&files)) {
        result.start_error = errno;
        return result;
    }
    (void)fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        be_child(&files, body, arg);
    }
    if (pid == -1) {
        result.start_error = errno;
    } else {
        int status;
        result.timed_out = !kit_wait_until(pid, kit_clock() + seconds, pid, &status);
        take_status(&result, status);
        kit_report_read(files.output, result.output, sizeof(result.output));
        kit_report_read(files.report, result.report, sizeof(result.report));
    }
    close_files(&files);
    return result;
}

/* Every line of a child's output is marked: ctest might take it for a skip of this test. */
static void fail_with_output(const char *file, int line, const char *what,
                             const struct kit_child_result *result)
{
    char quoted[3500];
    size_t used = 0;
    for (const char *at = result->output; *at != '\0' && used + 5 < sizeof(quoted); at++) {
        if (at == result->output || at[-1] == '\n') {
            used += (size_t)sprintf(quoted + used, "| ");
        }
        quoted[used++] = *at;
    }
    quoted[used] = '\0';
    kit_fail(file, line, "%s; its output:\n%s", what, quoted);
}

static struct kit_child_result run(const char *what, void (*body)(void *), void *arg)
{
    struct kit_child_result result = kit_probe_child(body, arg, KIT_CHILD_SECONDS);
    const int failures = kit_failures();
    char text[512];
    if (result.start_error != 0) {
        kit_fail(__FILE__, __LINE__, "%s: %s", what, strerror(result.start_error));
    } else if (result.timed_out) {
        (void)snprintf(text, sizeof(text), "%s: killed after %d s", what, KIT_CHILD_SECONDS);
        fail_with_output(__FILE__, __LINE__, text, &result);
    }
    kit_report_repeat(result.report);
    if (result.exit_code == KIT_CHILD_FAILED && kit_failures() == failures) {
        (void)snprintf(text, sizeof(text), "%s: failed, and its report is lost", what);
        fail_with_output(__FILE__, __LINE__, text, &result);
    }
    return result;
}

struct kit_child_result kit_run_child(void (*body)(void *), void *arg)
{
    return run("child", body, arg);
}

struct program {
    char *const *argv;
    char *const *envp_extra;
    void (*before_exec)(void *);
    void *arg;
};

static void change_environment(char *const envp_extra[])
{
    for (; envp_extra != NULL && *envp_extra != NULL; envp_extra++) {
        if (strchr(*envp_extra, '=') != NULL) {
            (void)putenv(*envp_extra);
        } else {
            (void)unsetenv(*envp_extra);
        }
    }
}

int kit_exec(char *const argv[], char *const envp_extra[])
{
    change_environment(envp_extra);
    (void)fflush(NULL);
    (void)execvp(argv[0], argv);
    return errno;
}

static void be_program(void *arg)
{
    const struct program *program = arg;
    if (program->before_exec != NULL) {
        program->before_exec(program->arg);
    }
    if (kit_failures() > 0 || kit_skipped()) {
        return;
    }
    const int error = kit_exec(program->argv, program->envp_extra);
    (void)fprintf(stderr, "%s: %s\n", program->argv[0], strerror(error));
    _exit(KIT_CHILD_NO_EXEC);
}

struct kit_child_result kit_run_program_after(char *const argv[], char *const envp_extra[],
                                              void (*before_exec)(void *), void *arg)
{
    struct program program = {argv, envp_extra, before_exec, arg};
    return run(argv[0], be_program, &program);
}

struct kit_child_result kit_run_program(char *const argv[], char *const envp_extra[])
{
    return kit_run_program_after(argv, envp_extra, NULL, NULL);
}

bool kit_check_child(const char *file, int line, const struct kit_child_result *result,
                     const char *text)
{
    if (result->exit_code == 0) {
        return true;
    }
    if (result->start_error != 0 || result->timed_out || result->exit_code == KIT_CHILD_FAILED ||
        result->exit_code == KIT_CHILD_SKIPPED) {
        return false; /* kit_run_child has reported it */
    }
    char how[256];
    char buffer[16];
    if (result->signal != 0) {
        (void)snprintf(how, sizeof(how), "%s: ended by %s", text,
                       kit_signal_name(result->signal, buffer));
    } else {
        (void)snprintf(how, sizeof(how), "%s: exited with %d", text, result->exit_code);
    }
    fail_with_output(file, line, how, result);
    return false;
}
