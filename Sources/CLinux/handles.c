#define _GNU_SOURCE 1
#include "clinux_handles.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

struct handle {
    struct file_handle head;
    uint8_t room[CLINUX_HANDLE_ROOM];
};

int clinux_handle_of(int fd, int32_t *type, uint8_t *bytes, uint32_t *length) {
    struct handle handle = {.head.handle_bytes = CLINUX_HANDLE_ROOM};
    int mount;
    if (name_to_handle_at(fd, "", &handle.head, &mount, AT_EMPTY_PATH)) return -1;
    if (handle.head.handle_bytes > *length) {
        errno = EOVERFLOW;
        return -1;
    }
    *type = handle.head.handle_type;
    *length = handle.head.handle_bytes;
    memcpy(bytes, handle.head.f_handle, *length);
    return 0;
}

int clinux_open_handle(int mount, int32_t type, const uint8_t *bytes, uint32_t length, int flags) {
    if (length > CLINUX_HANDLE_ROOM) {
        errno = EINVAL;
        return -1;
    }
    struct handle handle = {.head.handle_bytes = length, .head.handle_type = type};
    memcpy(handle.head.f_handle, bytes, length);
    return open_by_handle_at(mount, &handle.head, flags);
}

int clinux_filesystem_identifier(int fd, uint64_t *identifier) {
    struct statfs status;
    if (fstatfs(fd, &status)) return -1;
    memcpy(identifier, &status.f_fsid, sizeof *identifier);
    return 0;
}

int clinux_known_mode(int fd, uint32_t *mode) {
    struct statx status;
    if (statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE, &status)) return -1;
    *mode = status.stx_mode;
    return 0;
}

int clinux_birth_time(int fd, int64_t *nanoseconds) {
    struct statx status;
    if (statx(fd, "", AT_EMPTY_PATH, STATX_BTIME, &status)) return -1;
    if (!(status.stx_mask & STATX_BTIME)) {
        errno = ENODATA;
        return -1;
    }
    *nanoseconds = (int64_t)status.stx_btime.tv_sec * 1000000000 + status.stx_btime.tv_nsec;
    return 0;
}
