/* SPDX-License-Identifier: MIT */
/* The tiny host, from outside: its output, its exit codes, and the order of its system calls. */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kit/child.h"
#include "kit/limits.h"
#include "kit/seccomp.h"
#include "kit/test.h"
#include "kit/trace.h"

#define REGISTER (1 << 4) /* MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED */

enum { MOST_ARGUMENTS = 8 };

/* palhost with these arguments; NULL ends them. */
static struct kit_child_result run(const char *const arguments[], char *const environment[])
{
    char *argv[MOST_ARGUMENTS + 2] = {PALHOST};

    for (int i = 0; i < MOST_ARGUMENTS && arguments[i]; i++)
        argv[i + 1] = (char *)arguments[i];
    return kit_run_program(argv, environment);
}

#define RUN(...) run((const char *const[]){__VA_ARGS__, NULL}, NULL)

static int lines_of(const char *text)
{
    int lines = 0;

    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

PAL_TEST(palhost, says_hello)
{
    struct kit_child_result result = RUN("hello");

    EXPECT_CHILD_OK(result);
    EXPECT_STREQ(result.output, "Hello, world!\n");
}

PAL_TEST(palhost, every_option_says_hello)
{
    static const char *const options[] = {"--order=membarrier-first",
                                          "--order=worker-first",
                                          "--worker=eager",
                                          "--worker=lazy",
                                          "--flush=membarrier",
                                          "--flush=mprotect",
                                          "--flush=global",
                                          "--flush=none",
                                          "--threads=0",
                                          "--threads=3"};

    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        struct kit_child_result result = RUN("hello", options[i]);
        EXPECT_CHILD_OK(result);
        EXPECT_STREQ(result.output, "Hello, world!\n");
    }
}

PAL_TEST(palhost, bad_usage_is_one_line)
{
    static const char *const bad[][3] = {
        {NULL},
        {"--"},
        {"goodbye"},
        {"hello", "again"},
        {"hello", "--order=first"},
        {"hello", "--order"},
        {"hello", "--worker="},
        {"hello", "--flush=signal"},
        {"hello", "--threads=-1"},
        {"hello", "--threads=-18446744073709551615"},
        {"hello", "--threads=4097"},
        {"hello", "--threads=99999999999999999999"},
        {"hello", "--threads=4x"},
        {"hello", "--threads= -18446744073709551615"},
        {"hello", "--threads="},
        {"hello", "--trace=xml"},
        {"hello", "--colour"},
        {"hello", "-x"},
    };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct kit_child_result result =
            run((const char *const[]){bad[i][0], bad[i][1], NULL}, NULL);
        EXPECT_EQ(result.exit_code, 2);
        EXPECT_EQ(lines_of(result.output), 1);
        EXPECT_STRHAS(result.output, "palhost: ");
    }
}

PAL_TEST(palhost, help_and_version)
{
    struct kit_child_result result = RUN("--help");

    EXPECT_CHILD_OK(result);
    EXPECT_STRHAS(result.output, "--order=membarrier-first|worker-first");
    EXPECT_LE(lines_of(result.output), 24);
    result = RUN("--version");
    EXPECT_CHILD_OK(result);
    EXPECT_STREQ(result.output, "palhost " PAL_VERSION "\n");
}

static json_t *trace_of(const char *const arguments[], char *const environment[])
{
    struct kit_child_result result = run(arguments, environment);
    json_error_t error;
    char *object = strchr(result.output, '{');

    EXPECT_CHILD_OK(result);
    json_t *trace = object ? json_loads(object, JSON_DISABLE_EOF_CHECK, &error) : NULL;
    if (!trace)
        kit_fail(__FILE__, __LINE__, "no JSON in: %s", result.output);
    return trace;
}

#define TRACE(...) trace_of((const char *const[]){__VA_ARGS__, NULL}, NULL)

static const char *method_of(const json_t *trace)
{
    return json_string_value(json_object_get(json_object_get(trace, "flush"), "method"));
}

PAL_TEST(palhost, trace_is_json)
{
    static const char *const names[] = {"system", "environment",  "fork handlers", "current thread",
                                        "flush",  "sync manager", "worker"};
    json_t *trace = TRACE("hello", "--trace=json");
    const json_t *phases = json_object_get(trace, "phases");

    EXPECT_STREQ(method_of(trace), "membarrier");
    EXPECT_TRUE(json_is_boolean(json_object_get(json_object_get(trace, "flush"), "locked")));
    EXPECT_TRUE(json_is_boolean(json_object_get(json_object_get(trace, "flush"), "registered")));
    EXPECT_TRUE(json_is_integer(json_object_get(trace, "init_ns")));
    ASSERT_EQ(json_array_size(phases), sizeof names / sizeof *names);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const json_t *phase = json_array_get(phases, i);
        EXPECT_STREQ(json_string_value(json_object_get(phase, "name")), names[i]);
        EXPECT_TRUE(json_is_integer(json_object_get(phase, "begin_ns")));
        EXPECT_TRUE(json_is_integer(json_object_get(phase, "duration_ns")));
        EXPECT_TRUE(json_is_string(json_object_get(phase, "threads")));
        EXPECT_EQ(json_integer_value(json_object_get(phase, "result")), 0);
    }
    json_decref(trace);
}

PAL_TEST(palhost, trace_tells_the_method)
{
    json_t *trace = TRACE("hello", "--trace=json", "--flush=mprotect");
    EXPECT_STREQ(method_of(trace), "mprotect");
    json_decref(trace);
    trace = TRACE("hello", "--trace=json", "--flush=none", "--worker=lazy");
    EXPECT_STREQ(method_of(trace), "none");
    EXPECT_EQ(json_array_size(json_object_get(trace, "phases")), 5u);
    json_decref(trace);
}

PAL_TEST(palhost, trace_is_a_table)
{
    struct kit_child_result result = RUN("hello", "--trace");

    EXPECT_CHILD_OK(result);
    EXPECT_STRHAS(result.output, "other threads");
    EXPECT_STRHAS(result.output, "pal: worker");
    EXPECT_STRHAS(result.output, "Hello, world!\n");
}

PAL_TEST(palhost, closed_stdout_is_a_failure)
{
    char *const argv[] = {"/bin/sh", "-c", "exec \"$0\" hello >&-", PALHOST, NULL};
    struct kit_child_result result = kit_run_program(argv, NULL);

    EXPECT_EQ(result.exit_code, 3);
    EXPECT_STRHAS(result.output, "palhost: stdout: ");
}

/* The index of the first clone or clone3, or -1. */
static int find_thread(const struct kit_trace_log *log)
{
    for (int i = 0; i < log->count; i++)
        if (log->calls[i].nr == SYS_clone
#ifdef SYS_clone3
            || log->calls[i].nr == SYS_clone3
#endif
        )
            return i;
    return -1;
}

struct order {
    int registration;
    int thread;
};

static struct order order_of(const char *first, const char *second)
{
    char *const argv[] = {PALHOST, "hello", (char *)first, (char *)second, NULL};
    struct order order = {-1, -1};
    struct kit_trace_log log;

    if (kit_trace_program(argv, NULL, &log) != 0) {
        kit_skip(__FILE__, __LINE__, "ptrace is not to be had");
        return order;
    }
    EXPECT_EQ(log.exit_code, 0);
    order.registration = kit_trace_find(&log, 0, SYS_membarrier, REGISTER);
    order.thread = find_thread(&log);
    kit_trace_free(&log);
    return order;
}

PAL_TEST(palhost, registers_before_the_first_clone)
{
    SKIP_UNLESS(!KIT_TSAN, "ThreadSanitizer starts a thread of its own");
    struct order order = order_of(NULL, NULL);
    RETURN_IF_SKIPPED();
    EXPECT_GE(order.registration, 0);
    EXPECT_GT(order.thread, order.registration);

    order = order_of("--worker=lazy", NULL);
    EXPECT_GE(order.registration, 0);
    EXPECT_EQ(order.thread, -1);
}

/* The control. */
PAL_TEST(palhost, worker_first_registers_after_the_first_clone)
{
    struct order order = order_of("--order=worker-first", NULL);

    RETURN_IF_SKIPPED();
    EXPECT_GE(order.thread, 0);
    EXPECT_GT(order.registration, order.thread);
}

PAL_TEST(palhost, threaded_host_does_not_register)
{
    struct order order = order_of("--threads=4", NULL);
    RETURN_IF_SKIPPED();
    EXPECT_EQ(order.registration, -1);

    order = order_of("--threads=4", "--order=worker-first");
    EXPECT_GE(order.registration, 0);
}

/* A library's constructor has started a thread before main. */
PAL_TEST(palhost, constructor_thread)
{
    SKIP_UNLESS(!KIT_TSAN && !KIT_ASAN, "a sanitizer's runtime has to come first");
    char *const preload[] = {"LD_PRELOAD=" CONSTRUCTOR_THREAD, NULL};
    char *const argv[] = {PALHOST, "hello", NULL};
    struct kit_trace_log log;
    SKIP_UNLESS(kit_trace_program(argv, preload, &log) == 0, "ptrace is not to be had");
    EXPECT_EQ(log.exit_code, 0);
    EXPECT_GE(find_thread(&log), 0);
    EXPECT_EQ(kit_trace_find(&log, 0, SYS_membarrier, REGISTER), -1);
    kit_trace_free(&log);

    json_t *trace = trace_of((const char *const[]){"hello", "--trace=json", NULL}, preload);
    const json_t *first = json_array_get(json_object_get(trace, "phases"), 0);
    EXPECT_STREQ(json_string_value(json_object_get(first, "threads")), "yes");
    EXPECT_FALSE(json_is_true(json_object_get(json_object_get(trace, "flush"), "registered")));
    json_decref(trace);
}

/* Each row that can fail is made to; the host says which, with the errno and a hint, in one line.
 */
struct row_failure {
    const char *fault; /* for PAL_TEST_FAULT */
    const char *told;
    const char *hint;
};

static const struct row_failure row_failures[] = {
    {"page_size:0:1:22", "row 'system', error 65408, errno 22 (Invalid argument)", "page size"},
    {"at_fork:0:2:12", "row 'fork handlers', error 65409, errno 12", "memory"},
    {"thread_key:0:1:11", "row 'current thread', error 65412, errno 11", "pthread_key_create"},
    {"membarrier_query:0:1:1,mmap:0:1:12", "row 'flush', error 65282, errno 12", "memory"},
    {"eventfd:0:1:24", "row 'sync manager', error 65410, errno 24", "ulimit -n"},
    {"thread_start:0:1:1", "row 'worker', error 65411, errno 1 (Operation not permitted)",
     "container profile"},
    {"thread_start:0:1:11", "row 'worker', error 65411, errno 11", "pids limit"},
};

PAL_TEST(palhost, tells_which_row_failed)
{
    for (size_t i = 0; i < sizeof row_failures / sizeof *row_failures; i++) {
        char fault[128];
        char *const argv[] = {PALHOST_FAULTY, "hello", NULL};
        char *const environment[] = {fault, NULL};
        (void)snprintf(fault, sizeof fault, "PAL_TEST_FAULT=%s", row_failures[i].fault);
        struct kit_child_result result = kit_run_program(argv, environment);

        EXPECT_EQ(result.exit_code, 3);
        EXPECT_EQ(lines_of(result.output), 1);
        EXPECT_STRHAS(result.output, row_failures[i].told);
        EXPECT_STRHAS(result.output, row_failures[i].hint);
    }
}

PAL_TEST(palhost, tells_of_a_bad_environment)
{
    char *const argv[] = {PALHOST, "hello", NULL};
    char *const environment[] = {"PAL_FLUSH=quickly", NULL};
    struct kit_child_result result = kit_run_program(argv, environment);

    EXPECT_EQ(result.exit_code, 3);
    EXPECT_EQ(lines_of(result.output), 1);
    EXPECT_STRHAS(result.output, "row 'environment', error 65296");
    EXPECT_STRHAS(result.output, "PAL_FLUSH takes membarrier, mprotect, global or none");
}

static void deny_membarrier(void *unused)
{
    (void)unused;
    SKIP_UNLESS(kit_deny_syscall(SYS_membarrier, EPERM) == 0, "no seccomp here");
}

PAL_TEST(palhost, tells_of_a_denied_membarrier)
{
    char *const argv[] = {PALHOST, "hello", "--flush=membarrier", NULL};
    struct kit_child_result result = kit_run_program_after(argv, NULL, deny_membarrier, NULL);

    RETURN_IF_SKIPPED();
    EXPECT_EQ(result.exit_code, 3);
    EXPECT_STRHAS(result.output, "row 'flush', error 65282, errno 1 (Operation not permitted)");
    EXPECT_STRHAS(result.output, "membarrier(2)");
}

/* The table is for stderr: stdout has the host's own line and no other. */
PAL_TEST(palhost, trace_keeps_off_stdout)
{
    static const char *const options[] = {"--trace", "--trace=json"};

    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        char *const argv[] = {
            "/bin/sh",          "-c", "exec \"$0\" hello \"$1\" 2>/dev/null", PALHOST,
            (char *)options[i], NULL};
        struct kit_child_result result = kit_run_program(argv, NULL);
        EXPECT_CHILD_OK(result);
        EXPECT_STREQ(result.output, "Hello, world!\n");
    }
}

/* The PAL is terminated, and not left to exit: its worker has ended by then. */
PAL_TEST(palhost, terminates_the_pal)
{
    char *const argv[] = {PALHOST, "hello", NULL};
    struct kit_trace_log log;

    SKIP_UNLESS(!KIT_TSAN, "ThreadSanitizer starts a thread of its own");
    SKIP_UNLESS(kit_trace_program(argv, NULL, &log) == 0, "ptrace is not to be had");
    int exit_of_worker = kit_trace_find(&log, 0, SYS_exit, KIT_ANY);
    int exit_of_host = kit_trace_find(&log, 0, SYS_exit_group, KIT_ANY);
    EXPECT_GE(exit_of_worker, 0);
    EXPECT_GT(exit_of_host, exit_of_worker);
    kit_trace_free(&log);
}

static void become_plain_user(void *unused)
{
    (void)unused;
    SKIP_UNLESS(kit_drop_privileges() == 0, "privileges cannot be dropped");
}

static bool copy_program(const char *from, int to)
{
    char block[65536];
    int fd = open(from, O_RDONLY | O_CLOEXEC);
    ssize_t size = fd < 0 ? -1 : 1;

    while (size > 0) {
        size = read(fd, block, sizeof block);
        if (size > 0 && write(to, block, (size_t)size) != size)
            size = -1;
    }
    if (fd >= 0)
        (void)close(fd);
    return size == 0;
}

/* A setuid program is not its caller's to configure: neither variable counts, not even a bad one.
 */
static void run_setuid(char *path)
{
    char *const argv[] = {path, "hello", NULL};
    char *const environment[] = {"PAL_FLUSH=quickly", "PAL_TRACE=init", NULL};
    int fd = mkstemp(path);
    struct statvfs file_system;

    ASSERT_GE(fd, 0);
    bool copied = copy_program(PALHOST, fd) && fchmod(fd, 04755) == 0;
    bool honoured = fstatvfs(fd, &file_system) == 0 && !(file_system.f_flag & ST_NOSUID) &&
                    prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 0;
    (void)close(fd);
    ASSERT_TRUE(copied);
    SKIP_UNLESS(honoured, "setuid counts for nothing here");
    struct kit_child_result result =
        kit_run_program_after(argv, environment, become_plain_user, NULL);
    EXPECT_CHILD_OK(result);
    EXPECT_STREQ(result.output, "Hello, world!\n");
}

PAL_TEST(palhost, setuid_ignores_the_environment)
{
    char path[] = "/tmp/palhost-setuid-XXXXXX";

    SKIP_UNLESS(!KIT_SANITIZED, "a sanitizer is no part of a setuid program");
    SKIP_UNLESS(geteuid() == 0, "only root makes a program root's");
    run_setuid(path);
    (void)unlink(path);
}

/* The control: without the bit, the same user is listened to. */
PAL_TEST(palhost, plain_user_is_listened_to)
{
    char *const argv[] = {PALHOST, "hello", NULL};
    char *const environment[] = {"PAL_TRACE=init", NULL};
    struct kit_child_result result =
        kit_run_program_after(argv, environment, become_plain_user, NULL);

    SKIP_UNLESS(result.exit_code != KIT_CHILD_NO_EXEC, "the build is not for other users to see");
    EXPECT_STRHAS(result.output, "pal: init row");
}

/* The right order by name, and after the wrong one on the same command line. */
PAL_TEST(palhost, membarrier_first_registers_before_the_first_clone)
{
    SKIP_UNLESS(!KIT_TSAN, "ThreadSanitizer starts a thread of its own");
    struct order order = order_of("--order=membarrier-first", NULL);
    RETURN_IF_SKIPPED();
    EXPECT_GE(order.registration, 0);
    EXPECT_GT(order.thread, order.registration);

    order = order_of("--order=worker-first", "--order=membarrier-first");
    EXPECT_GE(order.registration, 0);
    EXPECT_GT(order.thread, order.registration);
}

/* Only a page of the mprotect method can be locked, and where mlock is refused it is not. */
PAL_TEST(palhost, trace_tells_what_is_locked)
{
    json_t *trace = TRACE("hello", "--trace=json", "--flush=none");
    EXPECT_TRUE(json_is_false(json_object_get(json_object_get(trace, "flush"), "locked")));
    json_decref(trace);

    char *const argv[] = {PALHOST_FAULTY, "hello", "--trace=json", "--flush=mprotect", NULL};
    char *const environment[] = {"PAL_TEST_FAULT=mlock:0:1:1", NULL};
    struct kit_child_result result = kit_run_program(argv, environment);
    EXPECT_CHILD_OK(result);
    EXPECT_STRHAS(result.output, "\"method\":\"mprotect\",\"locked\":false");
}

PAL_TEST(palhost, json_is_alone_on_stderr)
{
    char *const argv[] = {PALHOST, "hello", "--trace=json", NULL};
    char *const environment[] = {"PAL_TRACE=init", NULL};
    struct kit_child_result result = kit_run_program(argv, environment);

    EXPECT_EQ(result.exit_code, 0);
    EXPECT_STRHAS(result.output, "\"init_ns\":");
    EXPECT_TRUE(strstr(result.output, "init row") == NULL);
}

PAL_TEST(palhost, json_that_cannot_be_written_is_an_error)
{
    char *const argv[] = {"/bin/sh", "-c", "exec \"$0\" hello --trace=json 2>/dev/full", PALHOST,
                          NULL};
    struct kit_child_result result = kit_run_program(argv, NULL);

    EXPECT_EQ(result.exit_code, 3);
}
