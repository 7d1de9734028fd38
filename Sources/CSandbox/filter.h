#pragma once
#include <linux/filter.h>
#include <stdint.h>
#include <sys/types.h>

struct sandbox_filter {
    unsigned short length;
    struct sock_filter *program;
};

/* Returns the filter for this machine, built at its first use; NULL if that failed, with the error number in `error`.
   Allocates: call it before a process is made. The filter stays valid. */
const struct sandbox_filter *sandbox_filter_get(int network, int local_socket, int *error);

/* Applies a filter to the calling process, whose number takes the place of the filter's placeholder. Makes system calls
   only. `room` takes the changed program, of the filter's length. Returns 0 or an error number. */
int sandbox_filter_apply(const struct sandbox_filter *filter, pid_t self, struct sock_filter *room);
