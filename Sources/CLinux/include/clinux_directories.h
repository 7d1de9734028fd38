/// Reading directories, and giving a name to a file that has none.
#pragma once
#include <stddef.h>
#include <sys/types.h>

extern const int clinux_seek_data, clinux_seek_hole;
/// Reads whole `linux_dirent64` records of the directory from its current position on. Returns 0 at its end.
ssize_t clinux_getdents(int fd, void *buffer, size_t size);
/// Gives an open file without a name (O_TMPFILE) a name in a directory. Fails with EEXIST if the name is taken.
int clinux_link_descriptor(int fd, int dirfd, const char *name);
/// Takes the file's exclusive advisory lock without waiting. Fails with EWOULDBLOCK if another open file description
/// has it. Closing the last descriptor of this open file description releases the lock, so a killed process does not
/// leave it locked.
int clinux_try_lock(int fd);
