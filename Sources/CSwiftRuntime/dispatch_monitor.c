// A confined process may not look at /proc, and the dispatch library ends a process that cannot open the status of one of its
// own threads: once a second, while work waits for a thread, its monitor opens /proc/THREAD/stat to see whether the workers are
// blocked, and takes a failure for a fault of the program. Nothing turns that off, and no rule of a confinement lets a process
// see its own threads by that name without every other process of its user.
//
// So the process opens files itself, as the C library does it, and gives the monitor an empty file where it may not look: a
// thread of which nothing is known counts as blocked, and work that waits gets another one.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

static bool is_thread_status(const char *path) {
    if (strncmp(path, "/proc/", 6) != 0) return false;
    const char *rest = path + 6;
    size_t digits = strspn(rest, "0123456789");
    return digits > 0 && strcmp(rest + digits, "/stat") == 0;
}

int open(const char *path, int flags, ...) {
    mode_t mode = 0;
    if ((flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE) {
        va_list rest;
        va_start(rest, flags);
        mode = va_arg(rest, mode_t);
        va_end(rest);
    }
    int result = (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
    if (result < 0 && (errno == EACCES || errno == EPERM) && (flags & O_ACCMODE) == O_RDONLY && is_thread_status(path)) {
        result = (int)syscall(SYS_openat, AT_FDCWD, "/dev/null", flags, 0);
    }
    return result;
}
