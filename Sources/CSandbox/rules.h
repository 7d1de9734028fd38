#pragma once
#include "csandbox.h"

/* Returns a Landlock ruleset for the confinement's paths, or -1 where the kernel has no Landlock; sets `error` if it
   cannot be made. */
int sandbox_rules_make(const struct csandbox_confinement *confinement, int *error);

/* Adds the rule for the new process's own entry in /proc. Makes system calls only, as the following one. Both return
   0 or an error number. */
int sandbox_rules_add_own(int ruleset);

int sandbox_rules_apply(int ruleset);

/* Opens a path as O_PATH. No symbolic link on the way to it is followed. */
int sandbox_open_without_links(int directory, const char *path, int flags);

/* Whether a path is left out that cannot be opened for this reason. */
int sandbox_is_left_out(int error);
