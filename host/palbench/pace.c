/* SPDX-License-Identifier: MIT */
#include "pace.h"

#include "clock.h"

bool pace_again(struct pace *pace)
{
    uint64_t now = clock_now_ns();

    if (pace->begun > 0 && now - pace->begin_ns > pace->longest_ns)
        pace->longest_ns = now - pace->begin_ns;
    if (pace->begun == pace->planned ||
        (pace->begun > 0 && now + pace->longest_ns > pace->deadline_ns))
        return false;
    pace->begun++;
    pace->begin_ns = now;
    return true;
}
