/// Reading directories, and giving a name to a file that has none.
#pragma once
#include <stddef.h>
#include <sys/types.h>

extern const int clinux_seek_data, clinux_seek_hole;
/// Whole `linux_dirent64` records of the directory from its current position on; 0 at its end.
ssize_t clinux_getdents(int fd, void *buffer, size_t size);
/// Gives an open file without a name (O_TMPFILE) a name in a directory. Fails with EEXIST where the name is taken.
int clinux_link_descriptor(int fd, int dirfd, const char *name);
/// Takes the file's exclusive advisory lock without waiting (EWOULDBLOCK where another has it).
/// The lock goes with the last descriptor of this open, so a process that is killed leaves none.
int clinux_try_lock(int fd);
