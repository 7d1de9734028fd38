/// What the file system itself calls a file, whatever its names: handles, births, the identity of the file system.
#pragma once
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

/// Room that any handle fits in (MAX_HANDLE_SZ).
enum { CLINUX_HANDLE_ROOM = 128 };

/// The handle of an open file, O_PATH included. `length` is the room in `bytes`, then what was used of it. Fails with
/// EOPNOTSUPP where the file system has none.
int clinux_handle_of(int fd, int32_t *type, uint8_t *bytes, uint32_t *length);
/// Opens a file by its handle (CAP_DAC_READ_SEARCH). `mount` is anything open on the file system, not O_PATH.
int clinux_open_handle(int mount, int32_t type, const uint8_t *bytes, uint32_t length, int flags);
/// What statfs(2) calls the file system (`f_fsid`), 0 where it has no name; -1 when it cannot be asked.
int clinux_filesystem_identifier(int fd, uint64_t *identifier);
/// The kind of an open file, in the bits of `S_IFMT`, as the kernel knows it: nobody is asked, also where another machine or
/// process keeps the file.
int clinux_known_mode(int fd, uint32_t *mode);
/// When an open file was made, O_PATH included, in nanoseconds since 1970. ENODATA where the file system does not know.
int clinux_birth_time(int fd, int64_t *nanoseconds);
/// The status of a name in a folder, a link not followed, or of the open file itself by an empty name, and when it was made in
/// nanoseconds since 1970: 0 where the file system does not know.
int clinux_status_and_birth(int fd, const char *name, struct stat *status, int64_t *birth);
/// The identity that a file system was given when it was made, as long as it says; its length, or -1 where it has none. For a kernel
/// that cannot be asked, what statfs(2) makes of that, where the file system is one of those that do.
int clinux_filesystem_uuid(int fd, uint8_t bytes[16]);
/// Tells the mount through which a file was opened from all others that there were since the machine was started, as far as the kernel
/// does: older ones use a number again. 0 where it cannot be told.
uint64_t clinux_mount_identifier(int fd);
/// Whether the file system has other inode numbers each time that it is mounted.
int clinux_has_passing_inodes(int fd);
