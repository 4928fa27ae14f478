/* SPDX-License-Identifier: MIT */
#include "spawn_crowd.h"

#include <err.h>
#include <errno.h>

#include "clock.h"
#include "exit_code.h"
#include "spin_barrier.h"

struct meeting {
    const struct spawn_crowd *crowd;
    pthread_barrier_t gate;
    struct spin_barrier barrier;
};

static void take_part(struct meeting *meeting)
{
    if (meeting->crowd->gated)
        (void)pthread_barrier_wait(&meeting->gate);
    for (size_t i = 0; i < meeting->crowd->rounds; i++)
        spin_barrier_wait(&meeting->barrier);
}

static DWORD take_part_pal(LPVOID meeting)
{
    take_part(meeting);
    return 0;
}

static void *take_part_pthread(void *meeting)
{
    take_part(meeting);
    return NULL;
}

static const struct spawn_body body = {take_part_pal, take_part_pthread};

double spawn_crowd_ns(const struct spawn_crowd *crowd, const struct spawn_impl *impl,
                      const struct spawn_stack *stack, union spawn_thread *threads)
{
    struct meeting meeting = {.crowd = crowd};

    errno = pthread_barrier_init(&meeting.gate, NULL, (unsigned)crowd->threads);
    if (errno)
        err(EXIT_INTERNAL, "pthread_barrier_init");
    spin_barrier_init(&meeting.barrier, crowd->threads);

    uint64_t begin = clock_now_ns();
    for (size_t i = 0; i < crowd->threads; i++)
        impl->create(&threads[i], stack, &body, &meeting);
    for (size_t i = 0; i < crowd->threads; i++)
        impl->join(&threads[i]);
    uint64_t end = clock_now_ns();

    (void)pthread_barrier_destroy(&meeting.gate);
    return (double)(end - begin);
}
