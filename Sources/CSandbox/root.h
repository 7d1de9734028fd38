#pragma once
#include "csandbox.h"

enum { SANDBOX_LONGEST_PATH = 4096 };

/* Memory for paths: the new process has its parent's, and may not allocate any. */
struct sandbox_room { char name[SANDBOX_LONGEST_PATH], parent[SANDBOX_LONGEST_PATH]; };

/* In the new process, which has namespaces of its own. All make system calls only, and return 0 or an error number. */

/* Maps the user and the group to themselves. */
int sandbox_map_user(uid_t user, gid_t group);

/* Builds the new root directory and enters it. */
int sandbox_enter_root(const struct csandbox_confinement *confinement, struct sandbox_room *room);

/* Gives up every capability for ever. */
int sandbox_drop_capabilities(void);
