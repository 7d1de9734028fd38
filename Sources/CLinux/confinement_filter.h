/* The system call filter of a confined program. Private to this module. */
#pragma once
#include <sys/types.h>

/* Lets this process make no more system calls than a confined program needs: new threads but no new processes, signals
   to nobody else, no sockets with names; local sockets as clinux_confinement says. Needs no-new-privileges. Only calls the
   kernel, and changes nothing but its own stack, so that it can run between clone and exec, where memory is the parent's.
   Returns 0 or an error number. */
int confinement_filter_apply(pid_t self, int network, int local_socket);
