/// Identities of files, independent of their names: handles, creation times, and the identity of the file system.
#pragma once
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

/// The maximum size of a handle (MAX_HANDLE_SZ).
enum { CLINUX_HANDLE_ROOM = 128 };

/// Returns the handle of an open file, O_PATH included. `length` is the room in `bytes` before the call, and the size
/// of the handle after it. Fails with EOPNOTSUPP if the file system has no handles.
int clinux_handle_of(int fd, int32_t *type, uint8_t *bytes, uint32_t *length);
/// Opens a file by its handle (needs CAP_DAC_READ_SEARCH). `mount` is any file of the file system, not opened with
/// O_PATH.
int clinux_open_handle(int mount, int32_t type, const uint8_t *bytes, uint32_t length, int flags);
/// Gets the ID of the file system according to statfs(2) (`f_fsid`), which may be 0. Returns -1 if statfs(2) fails.
int clinux_filesystem_identifier(int fd, uint64_t *identifier);
/// Gets the kind of an open file, in the bits of `S_IFMT`, as the kernel has cached it: without a request to the
/// server of a remote or user-space file system.
int clinux_known_mode(int fd, uint32_t *mode);
/// Gets the creation time of an open file, O_PATH included, in nanoseconds since 1970. Fails with ENODATA if the file
/// system does not store it.
int clinux_birth_time(int fd, int64_t *nanoseconds);
/// Gets the status of a name in a directory, without following a link; if the name is empty, gets the status of the
/// open file itself. `birth` gets the creation time in nanoseconds since 1970, or 0 if the file system does not store
/// it.
int clinux_status_and_birth(int fd, const char *name, struct stat *status, int64_t *birth);
/// Gets the UUID of the file system. Returns its length, or -1 if there is none. On kernels that cannot report it,
/// uses `f_fsid` of statfs(2) for file systems that derive it from the UUID.
int clinux_filesystem_uuid(int fd, uint8_t bytes[16]);
/// Returns the ID of the mount through which a file was opened. It is unique since boot, except that kernels before
/// 6.8 reuse IDs. Returns 0 if there is none.
uint64_t clinux_mount_identifier(int fd);
/// Whether the inode numbers of the file system change at every mount.
int clinux_has_passing_inodes(int fd);
