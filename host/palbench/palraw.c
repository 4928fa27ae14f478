/* SPDX-License-Identifier: MIT */
/*
 * What palbench compares the PAL with: the same small program on libc alone. argv[1] says which.
 * A registration that the kernel refuses is passed over: it is then no dearer late than early, and
 * palbench finds that no slow registration was seen.
 */
#include <getopt.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define STACK_SIZE ((size_t)128 * 1024)
#define SLEEPING_THREADS 4
#define NS_PER_S 1000000000u

static sem_t release;

static void *sleep_until_released(void *unused)
{
    (void)unused;
    while (sem_wait(&release) != 0)
        continue;
    return NULL;
}

static int start_thread(pthread_t *ret_thread)
{
    pthread_attr_t attributes;
    int error = pthread_attr_init(&attributes);
    if (error)
        return error;
    error = pthread_attr_setstacksize(&attributes, STACK_SIZE);
    if (!error)
        error = pthread_create(ret_thread, &attributes, sleep_until_released, NULL);
    (void)pthread_attr_destroy(&attributes);
    return error;
}

static void register_for_membarrier(void)
{
    (void)syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
}

static int say_hello(void)
{
    return puts("Hello, world!") < 0 || fflush(stdout) != 0;
}

static int bare(void)
{
    return say_hello();
}

/* The thread sleeps until the hello is said, as the worker of the PAL does. */
static int with_one_thread(int register_late)
{
    pthread_t thread;

    if (!register_late)
        register_for_membarrier();
    if (start_thread(&thread) != 0)
        return 1;
    if (register_late)
        register_for_membarrier();
    int failed = say_hello();
    (void)sem_post(&release);
    return pthread_join(thread, NULL) != 0 || failed;
}

static int early(void)
{
    return with_one_thread(0);
}

static int late(void)
{
    return with_one_thread(1);
}

static int threaded(void)
{
    for (int i = 0; i < SLEEPING_THREADS; i++) {
        pthread_t thread;
        if (start_thread(&thread) != 0)
            return 1;
    }
    return say_hello();
}

static uint64_t now_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

/* The least that an initialisation can cost: the registration, then a thread. */
static int init_floor(void)
{
    pthread_t thread;
    uint64_t begin = now_ns();

    register_for_membarrier();
    int error = start_thread(&thread);
    uint64_t end = now_ns();
    if (error)
        return 1;
    return fprintf(stderr, "{\"init_ns\":%llu}\n", (unsigned long long)(end - begin)) < 0;
}

static const struct {
    const char *name;
    int (*run)(void);
} modes[] = {{"bare", bare},
             {"early", early},
             {"late", late},
             {"threaded", threaded},
             {"floor", init_floor}};

/* By getopt_long, as palhost does it: what parsing costs is not what the two are compared for. */
static const char *mode_of(int argc, char **argv)
{
    static const struct option none[] = {{NULL, 0, NULL, 0}};

    opterr = 0;
    if (getopt_long(argc, argv, "", none, NULL) != -1 || optind + 1 != argc)
        return "";
    return argv[optind];
}

int main(int argc, char **argv)
{
    const char *mode = mode_of(argc, argv);

    if (sem_init(&release, 0, 0) != 0)
        return 1;
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (strcmp(mode, modes[i].name) == 0)
            return modes[i].run();
    (void)fprintf(stderr, "palraw: usage: palraw bare|early|late|threaded|floor\n");
    return 2;
}
