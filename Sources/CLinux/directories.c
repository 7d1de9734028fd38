#define _GNU_SOURCE 1
#include "clinux_directories.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

const int clinux_seek_data = SEEK_DATA, clinux_seek_hole = SEEK_HOLE;

ssize_t clinux_getdents(int fd, void *buffer, size_t size) { return getdents64(fd, buffer, size); }

int clinux_link_descriptor(int fd, int dirfd, const char *name) {
    /* Before Linux 6.10, the first call needs a capability and fails with ENOENT without it. The second call needs
       /proc. */
    if (linkat(fd, "", dirfd, name, AT_EMPTY_PATH) == 0) return 0;
    if (errno != ENOENT && errno != EPERM && errno != EINVAL) return -1;
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return linkat(AT_FDCWD, path, dirfd, name, AT_SYMLINK_FOLLOW);
}

int clinux_try_lock(int fd) { return flock(fd, LOCK_EX | LOCK_NB); }
