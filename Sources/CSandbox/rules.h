#pragma once
#include "csandbox.h"

/* Returns a Landlock ruleset for the confinement's paths, or -1 if the kernel has no Landlock. Sets `error` if the
   ruleset cannot be created. */
int sandbox_rules_make(const struct csandbox_confinement *confinement, int *error);

/* Adds the rule for the new process's own entry in /proc. Like `sandbox_rules_apply`, it makes only system calls, and
   returns 0 or an error number. */
int sandbox_rules_add_own(int ruleset);

int sandbox_rules_apply(int ruleset);

/* Opens a path with O_PATH. No symbolic link in the path is followed. */
int sandbox_open_without_links(int directory, const char *path, int flags);

/* Whether a path that cannot be opened because of this error is left out. */
int sandbox_is_left_out(int error);
