#pragma once
#include "csandbox.h"

/* In the new process, which has namespaces of its own: makes system calls only, and uses static memory, so one process at a time. Both
   return 0 or an error number. */

/* Maps the user and the group to themselves. */
int sandbox_map_user(uid_t user, gid_t group);

/* Builds the new root directory and enters it. `has_processes`: whether the process has numbers of its own, and gets a /proc of them. */
int sandbox_enter_root(const struct csandbox_confinement *confinement, int has_processes);

/* Gives up every capability for ever. */
int sandbox_drop_capabilities(void);
