#pragma once
#include "csandbox.h"

enum { SANDBOX_LONGEST_PATH = 4096 };

/* Memory for paths. The new process shares its parent's memory, and must not allocate any. */
struct sandbox_room { char name[SANDBOX_LONGEST_PATH], parent[SANDBOX_LONGEST_PATH]; };

/* These functions are called in the new process, which has its own namespaces. They make only system calls, and return
   0 or an error number. */

/* Maps the user and the group to the same IDs in the user namespace. */
int sandbox_map_user(uid_t user, gid_t group);

/* Builds the new root directory and enters it. */
int sandbox_enter_root(const struct csandbox_confinement *confinement, struct sandbox_room *room);

/* Drops all capabilities permanently. */
int sandbox_drop_capabilities(void);
