/* SPDX-License-Identifier: MIT */
/*
 * A latch that opens once, and threads by the handful.
 */
#ifndef KIT_LATCH_H
#define KIT_LATCH_H

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

/*
 * Opens when `count` arrivals have been made, and stays open. Works between processes when it lies
 * in memory that they share (kit_shared_new). All that was done before an arrival is seen after a
 * wait. Needs no clean-up; nobody may still be waiting when it is initialised again.
 */
struct kit_latch {
    atomic_int remaining;
};

void kit_latch_init(struct kit_latch *latch, int count);
void kit_latch_arrive(struct kit_latch *latch);
void kit_latch_wait(struct kit_latch *latch);
void kit_latch_arrive_and_wait(struct kit_latch *latch);

/* Zeroed memory that is shared with children forked later; NULL when there is none. */
void *kit_shared_new(size_t size);
void kit_shared_free(void *memory, size_t size);

enum { KIT_THREADS_MAX = 64 };

struct kit_threads {
    int count;
    struct kit_thread {
        pthread_t id;
        void (*body)(int index, void *arg);
        void *arg;
        int index;
    } threads[KIT_THREADS_MAX];
};

/*
 * Starts n threads, each with its index from 0; fails the test when one cannot be started. Returns
 * how many run. The structure has to stay until kit_threads_join.
 */
int kit_threads_start(struct kit_threads *threads, int n, void (*body)(int index, void *arg),
                      void *arg);
void kit_threads_join(struct kit_threads *threads);

#endif
