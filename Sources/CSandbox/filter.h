#pragma once
#include <linux/filter.h>
#include <stdint.h>
#include <sys/types.h>

struct sandbox_filter {
    unsigned short length;
    struct sock_filter *program;
};

/* Returns the filter for this machine, which is built at its first use; NULL if that failed, with the error number in
   `error`. Must be called before the new process is created, because it allocates memory. The filter stays valid. */
const struct sandbox_filter *sandbox_filter_get(int network, int local_socket, int *error);

/* Applies a filter to the calling process, whose ID replaces the filter's placeholder. Makes only system calls. `room`
   is memory for the changed program, which is as long as the filter. Returns 0 or an error number. */
int sandbox_filter_apply(const struct sandbox_filter *filter, pid_t self, struct sock_filter *room);
