/// What the file system itself calls a file, whatever its names: handles, births, the identity of the file system.
#pragma once
#include <stdint.h>
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
