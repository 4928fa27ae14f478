/* SPDX-License-Identifier: MIT */
#include "resources.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "process.h"

/* The head of what getdents64 fills in; a name follows. */
struct entry {
    uint64_t inode;
    int64_t offset;
    unsigned short length;
    unsigned char type;
    char name[];
};

static _Alignas(struct entry) char buffer[16384];

static int count_in_buffer(long used)
{
    int count = 0;
    for (long at = 0; at < used;) {
        const struct entry *entry = (const struct entry *)(buffer + at);
        count += entry->name[0] != '.';
        at += entry->length;
    }
    return count;
}

static int count_entries(const char *path)
{
    const int directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory == -1) {
        return -1;
    }
    int count = 0;
    long used;
    while ((used = syscall(SYS_getdents64, directory, buffer, sizeof(buffer))) > 0) {
        count += count_in_buffer(used);
    }
    (void)close(directory);
    return used == 0 ? count : -1;
}

static int count_lines(const char *path)
{
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file == -1) {
        return -1;
    }
    int count = 0;
    ssize_t got;
    while ((got = read(file, buffer, sizeof(buffer))) > 0) {
        for (ssize_t i = 0; i < got; i++) {
            count += buffer[i] == '\n';
        }
    }
    (void)close(file);
    return got == 0 ? count : -1;
}

static int count_keys(void)
{
    static pthread_key_t keys[4096];
    const int most = sizeof(keys) / sizeof(keys[0]);
    int count = 0;
    while (count < most && pthread_key_create(&keys[count], NULL) == 0) {
        count++;
    }
    for (int i = 0; i < count; i++) {
        (void)pthread_key_delete(keys[i]);
    }
    return count;
}

struct kit_resources kit_resources_now(void)
{
    const int descriptors = count_entries("/proc/self/fd");
    return (struct kit_resources){
        .descriptors = descriptors > 0 ? descriptors - 1 : -1, /* its own */
        .mappings = count_lines("/proc/self/maps"),
        .tasks = count_entries("/proc/self/task"),
        .free_keys = count_keys(),
    };
}

struct kit_resources kit_resources_after(const struct kit_resources *before)
{
    const double deadline = kit_clock() + 1;
    unsigned turns = 0;
    while (count_entries("/proc/self/task") > before->tasks && kit_clock() < deadline) {
        kit_pause(&turns);
    }
    return kit_resources_now();
}

static void *use_malloc(void *arg)
{
    void *volatile memory = malloc(100);
    free(memory);
    return arg;
}

void kit_resources_warm_up(void)
{
    const int tasks = count_entries("/proc/self/task");
    pthread_t thread;
    if (pthread_create(&thread, NULL, use_malloc, NULL) == 0) {
        (void)pthread_join(thread, NULL);
    }
    /* The first thread brings one of ThreadSanitizer's own, which stays. */
    const struct kit_resources expected = {.tasks = KIT_TSAN && tasks == 1 ? 2 : tasks};
    (void)kit_resources_after(&expected);
}

void kit_check_resources(const char *file, int line, struct kit_resources before,
                         struct kit_resources after, const char *before_text,
                         const char *after_text)
{
    const struct {
        const char *what;
        int before;
        int after;
    } counts[] = {
        {"descriptors", before.descriptors, after.descriptors},
        {"tasks", before.tasks, after.tasks},
        {"free keys", before.free_keys, after.free_keys},
        {"mappings", before.mappings, after.mappings},
    };
    const size_t compared = KIT_SANITIZED ? 3 : 4;
    for (size_t i = 0; i < compared; i++) {
        if (counts[i].before != counts[i].after) {
            kit_fail(file, line, "expected: %s of %s and %s agree\n  before: %d\n   after: %d",
                     counts[i].what, before_text, after_text, counts[i].before, counts[i].after);
        }
    }
}
