/* SPDX-License-Identifier: MIT */
/* What the figures were measured on. */
#ifndef PALBENCH_MACHINE_H
#define PALBENCH_MACHINE_H

#include <jansson.h>
#include <sched.h>

/* The processors that this process may run on. Ends the program when there are too many to list. */
cpu_set_t machine_allowed_cpus(void);
unsigned machine_cpus(void);

/* {"cpus","cpus_online","arch","kernel","cpu"}; a new reference. */
json_t *machine_json(void);

#endif
