/// The operation of a request (`enum fuse_opcode` in `linux/fuse.h`).
///
/// ``Dispatcher`` switches over all cases, so that the compiler reports an operation that ``Dispatcher`` does not
/// decode.
package enum Opcode: UInt32, Sendable, CaseIterable {
    /// FUSE_LOOKUP: looks up a name in a directory.
    case lookup = 1
    /// FUSE_FORGET: revokes look-ups of a node. It has no reply.
    case forget = 2
    /// FUSE_GETATTR: returns a node's attributes: stat(2).
    case getAttributes = 3
    /// FUSE_SETATTR: changes a node's attributes: chmod(2), chown(2), truncate(2), utimensat(2).
    case setAttributes = 4
    /// FUSE_READLINK: returns the target of a symbolic link.
    case readLink = 5
    /// FUSE_SYMLINK: creates a symbolic link.
    case symbolicLink = 6
    /// FUSE_MKNOD: creates a file, a pipe, a socket or a device.
    case makeNode = 8
    /// FUSE_MKDIR: creates a directory.
    case makeDirectory = 9
    /// FUSE_UNLINK: removes the name of a file that is not a directory.
    case unlink = 10
    /// FUSE_RMDIR: removes a directory.
    case removeDirectory = 11
    /// FUSE_RENAME: renames, replacing an existing file: rename(2).
    case rename = 12
    /// FUSE_LINK: adds a hard link.
    case link = 13
    /// FUSE_OPEN: opens a file.
    case open = 14
    /// FUSE_READ: reads from a file.
    case read = 15
    /// FUSE_WRITE: writes to a file.
    case write = 16
    /// FUSE_STATFS: returns the file system's statistics: statfs(2).
    case statistics = 17
    /// FUSE_RELEASE: releases a file's handle.
    case release = 18
    /// FUSE_FSYNC: flushes a file to disk: fsync(2), fdatasync(2).
    case fsync = 20
    /// FUSE_SETXATTR: sets an extended attribute.
    case setExtendedAttribute = 21
    /// FUSE_GETXATTR: returns an extended attribute, or its size.
    case getExtendedAttribute = 22
    /// FUSE_LISTXATTR: returns the names of the extended attributes, or their size.
    case listExtendedAttributes = 23
    /// FUSE_REMOVEXATTR: removes an extended attribute.
    case removeExtendedAttribute = 24
    /// FUSE_FLUSH: closes one descriptor of a handle: close(2).
    case flush = 25
    /// FUSE_INIT: begins the session and negotiates its features.
    case initialize = 26
    /// FUSE_OPENDIR: opens a directory.
    case openDirectory = 27
    /// FUSE_READDIR: lists a directory: getdents(2).
    case readDirectory = 28
    /// FUSE_RELEASEDIR: releases a directory's handle.
    case releaseDirectory = 29
    /// FUSE_FSYNCDIR: flushes a directory to disk: fsync(2).
    case fsyncDirectory = 30
    /// FUSE_GETLK: returns the lock that conflicts with a given lock: `F_GETLK`.
    case getLock = 31
    /// FUSE_SETLK: sets or releases a lock without waiting: `F_SETLK`, flock(2) with `LOCK_NB`.
    case setLock = 32
    /// FUSE_SETLKW: sets a lock, and waits until it is available: `F_SETLKW`, flock(2).
    case setLockWaiting = 33
    /// FUSE_ACCESS: checks permissions: access(2).
    case access = 34
    /// FUSE_CREATE: creates a file and opens it.
    case create = 35
    /// FUSE_INTERRUPT: interrupts a request, because its caller got a signal.
    case interrupt = 36
    /// FUSE_BMAP: maps a block of a file to a block of a device.
    case blockMap = 37
    /// FUSE_DESTROY: ends the session.
    case destroy = 38
    /// FUSE_IOCTL: controls a device: ioctl(2).
    case ioctl = 39
    /// FUSE_POLL: waits for input or output: poll(2).
    case poll = 40
    /// FUSE_NOTIFY_REPLY: replies to a notification that retrieves cached pages.
    case notifyReply = 41
    /// FUSE_BATCH_FORGET: revokes look-ups of many nodes. It has no reply.
    case batchForget = 42
    /// FUSE_FALLOCATE: allocates or frees a range of a file: fallocate(2).
    case allocate = 43
    /// FUSE_READDIRPLUS: lists a directory with the attributes of its entries.
    case readDirectoryPlus = 44
    /// FUSE_RENAME2: renames with flags: renameat2(2).
    case rename2 = 45
    /// FUSE_LSEEK: finds data or a hole: lseek(2) with `SEEK_DATA` or `SEEK_HOLE`.
    case seek = 46
    /// FUSE_COPY_FILE_RANGE: copies a range between files: copy_file_range(2).
    case copyFileRange = 47
    /// FUSE_SETUPMAPPING: maps a file for direct access (DAX).
    case setUpMapping = 48
    /// FUSE_REMOVEMAPPING: unmaps a file for direct access (DAX).
    case removeMapping = 49
    /// FUSE_SYNCFS: flushes the whole file system to disk: syncfs(2).
    case syncFileSystem = 50
    /// FUSE_TMPFILE: creates a file without a name: open(2) with `O_TMPFILE`.
    case temporaryFile = 51
}
