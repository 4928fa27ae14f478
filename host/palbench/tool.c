/* SPDX-License-Identifier: MIT */
#include "tool.h"

#include <err.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "exit_code.h"

bool tool_executable(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

char *tool_find(const char *name)
{
    static const char *const places[] = {"%s/%s", "%s/../libexec/pal/%s"};
    char self[PATH_MAX] = "";

    if (readlink("/proc/self/exe", self, sizeof self - 1) < 0)
        err(EXIT_INTERNAL, "cannot tell where palbench is");
    const char *directory = dirname(self);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char *path;
        if (asprintf(&path, places[i], directory, name) < 0)
            err(EXIT_INTERNAL, "cannot look for %s", name);
        if (tool_executable(path))
            return path;
        free(path);
    }
    errx(EXIT_INTERNAL, "cannot find %s beside palbench, in %s", name, directory);
}
