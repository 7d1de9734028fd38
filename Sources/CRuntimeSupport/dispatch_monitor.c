// A confined process cannot read /proc, and the Dispatch library aborts a process that cannot open the status of one of
// its own threads. Once a second, while work waits for a thread, the library's monitor opens /proc/THREAD/stat to check
// whether workers are blocked, and treats a failure as a fault of the program. That cannot be turned off, and no
// confinement rule gives access to a process's own threads by that path without access to all other processes of its
// user.
//
// Therefore this file replaces the C library's open(2) by a function that opens the status beneath /proc/self, which a
// confined process may read. If that is not permitted either, it returns an empty file: a thread without a known status
// counts as blocked, and waiting work gets another thread.

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
    return digits > 0 && digits < 12 && strcmp(rest + digits, "/stat") == 0;
}

// Opens the status of a thread, given its path in /proc.
static int open_thread_status(const char *path, int flags) {
    static const char tasks[] = "/proc/self/task/";
    char own[sizeof tasks + 32];
    memcpy(own, tasks, sizeof tasks - 1);
    strcpy(own + sizeof tasks - 1, path + 6);
    int result = (int)syscall(SYS_openat, AT_FDCWD, own, flags, 0);
    if (result >= 0 || (errno != EACCES && errno != EPERM)) return result;
    return (int)syscall(SYS_openat, AT_FDCWD, "/dev/null", flags, 0);
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
    if (result >= 0 || (errno != EACCES && errno != EPERM && errno != ENOENT)) return result;
    return (flags & O_ACCMODE) == O_RDONLY && is_thread_status(path) ? open_thread_status(path, flags) : result;
}
