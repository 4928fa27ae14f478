/* SPDX-License-Identifier: MIT */
/* To be preloaded: a library whose constructor starts a thread, as some do. */
#include <pthread.h>
#include <unistd.h>

static void *sleep_for_good(void *unused)
{
    for (;;)
        pause();
    return unused;
}

__attribute__((constructor)) static void start_thread(void)
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, sleep_for_good, NULL) != 0)
        _exit(99);
}
