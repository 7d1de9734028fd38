#define _GNU_SOURCE 1
#include "clinux_handles.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
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

int clinux_status_and_birth(int fd, const char *name, struct stat *status, int64_t *birth) {
    struct statx found;
    int flags = AT_SYMLINK_NOFOLLOW | (*name ? 0 : AT_EMPTY_PATH);
    if (statx(fd, name, flags, STATX_BASIC_STATS | STATX_BTIME, &found)) return -1;
    *status = (struct stat){
        .st_dev = makedev(found.stx_dev_major, found.stx_dev_minor),
        .st_rdev = makedev(found.stx_rdev_major, found.stx_rdev_minor),
        .st_ino = found.stx_ino,
        .st_mode = found.stx_mode,
        .st_nlink = found.stx_nlink,
        .st_uid = found.stx_uid,
        .st_gid = found.stx_gid,
        .st_size = (off_t)found.stx_size,
        .st_blksize = found.stx_blksize,
        .st_blocks = (blkcnt_t)found.stx_blocks,
        .st_atim = {found.stx_atime.tv_sec, found.stx_atime.tv_nsec},
        .st_mtim = {found.stx_mtime.tv_sec, found.stx_mtime.tv_nsec},
        .st_ctim = {found.stx_ctime.tv_sec, found.stx_ctime.tv_nsec},
    };
    *birth = found.stx_mask & STATX_BTIME
        ? (int64_t)((uint64_t)found.stx_btime.tv_sec * 1000000000 + found.stx_btime.tv_nsec)
        : 0;
    return 0;
}

int clinux_filesystem_uuid(int fd, uint8_t bytes[16]) {
    struct {
        uint8_t length;
        uint8_t bytes[16];
    } uuid = {0};
// FS_IOC_GETFSUUID, since Linux 6.9.
    if (!ioctl(fd, _IOR(0x15, 0, uuid), &uuid) && uuid.length > 0 && uuid.length <= 16) {
        memcpy(bytes, uuid.bytes, uuid.length);
        return uuid.length;
    }
    struct statfs status;
    if (fstatfs(fd, &status)) return -1;
    switch ((uint32_t)status.f_type) {
    case 0xEF53: case 0x9123683E: case 0xF2F52010:  // ext4, btrfs, F2FS
        memcpy(bytes, &status.f_fsid, sizeof status.f_fsid);
        return sizeof status.f_fsid;
    default:
        errno = ENODATA;
        return -1;
    }
}

uint64_t clinux_mount_identifier(int fd) {
    // STATX_MNT_ID_UNIQUE, since Linux 6.8, and STATX_MNT_ID.
    const unsigned masks[] = {0x4000, 0x1000};
    for (int i = 0; i < 2; i++) {
        struct statx status;
        if (!statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, masks[i], &status) && status.stx_mask & masks[i])
            return status.stx_mnt_id;
    }
    return 0;
}

int clinux_has_passing_inodes(int fd) {
    struct statfs status;
    if (fstatfs(fd, &status)) return 0;
    // FAT, exFAT, FUSE.
    return status.f_type == 0x4D44 || status.f_type == 0x2011BAB0 || status.f_type == 0x65735546;
}
