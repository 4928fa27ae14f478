/* SPDX-License-Identifier: MIT */
/* membarrier(2), one function a command. Each returns -errno on failure. */
#ifndef OS_MEMBARRIER_H
#define OS_MEMBARRIER_H

/* Bits of the query's mask; the kernel's ABI, spelt out since old headers lack some. */
#define OS_MEMBARRIER_GLOBAL (1 << 0)
#define OS_MEMBARRIER_PRIVATE_EXPEDITED (1 << 3)
#define OS_MEMBARRIER_REGISTER_PRIVATE_EXPEDITED (1 << 4)

/* The mask of supported commands. A kernel or filter that knows nothing may answer 0. Linux 4.3. */
int os_membarrier_query(void);

/*
 * Registers the process for os_membarrier_private. Immediate when no other task shares its memory;
 * else waits for an RCU grace period, 5 to 15 ms, uninterruptibly. Inherited by fork. Linux 4.14.
 */
int os_membarrier_register(void);

/* The barrier on every running thread of the process; -EPERM when not registered. Linux 4.14. */
int os_membarrier_private(void);

/* The barrier on every running thread of the system; about 10 ms. Linux 4.3, not with nohz_full. */
int os_membarrier_global(void);

#endif
