/* SPDX-License-Identifier: MIT */
/*
 * Fork. The library's locks are taken before it and released after it, in the order init lock,
 * flush lock, manager lock, threads lock, handle lock, pool lock, so that the child finds them free
 * and what they guard whole. In the child the worker is gone: its rows count as not up, and a later
 * initialisation may bring them back. The handlers allocate nothing.
 */
#ifndef INIT_FORK_H
#define INIT_FORK_H

/*
 * Installs the handlers, once for as long as the library is loaded, which is when it is first done.
 * 0 or -errno. Init lock.
 */
int fork_handlers_install(void);

#endif
