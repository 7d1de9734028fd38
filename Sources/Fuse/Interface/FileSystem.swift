/// A file system, which serves the kernel's requests.
///
/// Requests arrive on the session's threads, several at a time. A function must return soon, and must not wait for
/// another process. It completes its ``Reply`` at once, or later from any thread. A request that waits for its reply
/// delays no other request.
///
/// Every function has a default implementation. Unless a function's documentation states another default, the default
/// replies `ENOSYS`. After this reply, the kernel does not send most kinds of requests again. For example, without
/// ``open(_:_:_:)`` it opens files without a request.
///
/// Requests of several processes or threads may be served in any order. If one process makes one system call after the
/// other, the functions are called in that order.
public protocol FileSystem: AnyObject, Sendable {
    /// Called when the session begins, before all requests.
    func start(_ session: Session)

    /// Called when the session has ended: the file system is not mounted any more, and no further requests arrive.
    /// All handles count as closed, and all nodes as forgotten.
    func end()

    // MARK: Names

    /// Looks up a name (FUSE_LOOKUP). If no file has the name, fails with `ENOENT`, or replies
    /// ``Entry/none(nameValidity:)``. In all functions of this protocol, names have up to 4095 bytes. Older kernels
    /// send at most 1024 bytes.
    func lookup(_ name: Name, in parent: NodeID, _ reply: Reply<Entry>)
    /// Revokes `count` look-ups of a node (FUSE_FORGET, FUSE_BATCH_FORGET). When all are revoked, the kernel does not
    /// use the node any more. The default does nothing.
    func forget(_ node: NodeID, count: UInt64)
    /// Creates a directory (FUSE_MKDIR). The caller's umask is already applied to `mode`.
    func makeDirectory(_ name: Name, in parent: NodeID, mode: UInt32, _ reply: Reply<Entry>)
    /// Creates a symbolic link (FUSE_SYMLINK).
    func makeSymbolicLink(_ name: Name, in parent: NodeID, target: Name, _ reply: Reply<Entry>)
    /// Creates a file, a pipe, a socket or a device, depending on `mode` (FUSE_MKNOD). The kernel also creates files
    /// with this request if ``create(_:in:mode:_:_:)`` is not implemented.
    func makeNode(_ name: Name, in parent: NodeID, mode: UInt32, device: UInt32, _ reply: Reply<Entry>)
    /// Adds a hard link to a file (FUSE_LINK).
    func makeLink(to node: NodeID, _ name: Name, in parent: NodeID, _ reply: Reply<Entry>)
    /// Removes a name of a file that is not a directory (FUSE_UNLINK). The node stays until it is forgotten, and the
    /// node's handles remain valid.
    func unlink(_ name: Name, in parent: NodeID, _ reply: Reply<Done>)
    /// Removes an empty directory (FUSE_RMDIR).
    func removeDirectory(_ name: Name, in parent: NodeID, _ reply: Reply<Done>)
    /// Renames a file, in the same directory or into another one (FUSE_RENAME, FUSE_RENAME2).
    func rename(
        _ name: Name, in parent: NodeID, to newName: Name, in newParent: NodeID, _ flags: RenameFlags,
        _ reply: Reply<Done>)

    // MARK: Attributes

    /// Returns the attributes, as for stat(2) (FUSE_GETATTR). `handle` is a handle of the file, if the caller has one.
    func attributes(of node: NodeID, handle: UInt64?, _ reply: Reply<AttributesReply>)
    /// Changes attributes, including the size (FUSE_SETATTR). Replies with all attributes.
    func setAttributes(of node: NodeID, _ change: AttributeChange, _ reply: Reply<AttributesReply>)
    /// Returns the target of a symbolic link (FUSE_READLINK).
    func readLink(_ node: NodeID, _ reply: Reply<Bytes>)
    /// Returns the statistics, as for statfs(2) (FUSE_STATFS). The default replies with ``Statistics/init()``.
    func statistics(_ reply: Reply<Statistics>)
    /// Returns the value of an extended attribute, or fails with `ENODATA` if the attribute does not exist
    /// (FUSE_GETXATTR). The library handles callers that request only the size, or whose buffer is too small.
    func extendedAttribute(_ name: Name, of node: NodeID, _ reply: Reply<Bytes>)
    /// Returns the names of all extended attributes (FUSE_LISTXATTR).
    func extendedAttributes(of node: NodeID, _ reply: Reply<NameList>)
    /// Sets an extended attribute (FUSE_SETXATTR). `value` is valid until the function returns.
    func setExtendedAttribute(
        _ name: Name, of node: NodeID, to value: UnsafeRawBufferPointer, _ policy: AttributePolicy, _ reply: Reply<Done>
    )
    /// Removes an extended attribute (FUSE_REMOVEXATTR).
    func removeExtendedAttribute(_ name: Name, of node: NodeID, _ reply: Reply<Done>)

    // MARK: Files

    /// Opens a file (FUSE_OPEN). The flags may contain ``OpenFlags/truncate``.
    func open(_ node: NodeID, _ flags: OpenFlags, _ reply: Reply<OpenReply>)
    /// Creates a file and opens it (FUSE_CREATE). The file did not exist when the kernel looked it up. Another process
    /// may have created it since then.
    func create(_ name: Name, in parent: NodeID, mode: UInt32, _ flags: OpenFlags, _ reply: Reply<CreateReply>)
    /// Reads bytes (FUSE_READ). Fewer bytes than requested mean the end of the file. `count` is at most
    /// ``MountOptions/largestRead``.
    func read(_ node: NodeID, handle: UInt64, at offset: Int64, count: Int, _ reply: Reply<Bytes>)
    /// Writes bytes, and replies with the number written (FUSE_WRITE). `bytes` are valid until the function returns. If
    /// the flags require appending, `offset` is the file's size according to the kernel.
    func write(
        _ node: NodeID, handle: UInt64, at offset: Int64, _ bytes: UnsafeRawBufferPointer, _ flags: WriteFlags,
        _ reply: Reply<Int>)
    /// Called when a descriptor of the handle is closed (FUSE_FLUSH); close(2) waits for the reply and returns its
    /// error. After fork(2) or dup(2), a handle has several descriptors. The function is called for each of them.
    func flush(_ node: NodeID, handle: UInt64, lockOwner: UInt64, _ reply: Reply<Done>)
    /// Releases a handle (FUSE_RELEASE). Called once for every ``open(_:_:_:)`` and every ``create(_:in:mode:_:_:)``.
    /// No caller waits for the reply.
    func release(_ node: NodeID, handle: UInt64, _ flags: OpenFlags, _ reply: Reply<Done>)
    /// Flushes to disk, for fsync(2) or fdatasync(2) (FUSE_FSYNC).
    func fsync(_ node: NodeID, handle: UInt64, dataOnly: Bool, _ reply: Reply<Done>)
    /// Serves fallocate(2) (FUSE_FALLOCATE). With the default, fallocate(2) fails with `EOPNOTSUPP`.
    func allocate(
        _ node: NodeID, handle: UInt64, offset: Int64, length: Int64, _ flags: AllocationFlags, _ reply: Reply<Done>)
    /// Replies with the offset of the next data or hole (FUSE_LSEEK). Fails with `ENXIO` if `offset` is not before the
    /// end of the file. With the default, files appear to have no holes.
    func seek(_ node: NodeID, handle: UInt64, from offset: Int64, to target: SeekTarget, _ reply: Reply<Int64>)
    /// Serves copy_file_range(2), and replies with the number of bytes copied (FUSE_COPY_FILE_RANGE). With the default,
    /// the kernel copies by reading and writing.
    func copyFileRange(
        from node: NodeID, handle: UInt64, offset: Int64, to destination: NodeID, handle destinationHandle: UInt64,
        offset destinationOffset: Int64, count: Int, _ reply: Reply<Int>)

    // MARK: Directories

    /// Opens a directory (FUSE_OPENDIR).
    func openDirectory(_ node: NodeID, _ flags: OpenFlags, _ reply: Reply<OpenReply>)
    /// Lists a directory from the entry after `cookie`, or from the first entry if `cookie` is 0 (FUSE_READDIR,
    /// FUSE_READDIRPLUS). The reply is made with ``Reply/listing()``. An empty listing means the end of the directory.
    /// If entries are added or removed during the listing, all other entries must still appear exactly once.
    func readDirectory(_ node: NodeID, handle: UInt64, after cookie: UInt64, _ reply: Reply<Listing>)
    /// Releases a handle of a directory (FUSE_RELEASEDIR).
    func releaseDirectory(_ node: NodeID, handle: UInt64, _ reply: Reply<Done>)
    /// Flushes a directory to disk, for fsync(2) (FUSE_FSYNCDIR).
    func fsyncDirectory(_ node: NodeID, handle: UInt64, dataOnly: Bool, _ reply: Reply<Done>)

    // MARK: Locks

    /// Returns the lock that conflicts with the given lock, or a lock of kind ``FileLock/Kind/none`` (FUSE_GETLK).
    /// Called only if ``MountOptions/servesLocks`` or ``MountOptions/servesWholeFileLocks`` is set. Otherwise the
    /// kernel manages the locks itself.
    func conflictingLock(_ node: NodeID, handle: UInt64, _ request: LockRequest, _ reply: Reply<FileLock>)
    /// Sets or releases a lock (FUSE_SETLK, FUSE_SETLKW). Fails with `EAGAIN` if the lock is not available and the
    /// request does not wait.
    func setLock(_ node: NodeID, handle: UInt64, _ request: LockRequest, _ reply: Reply<Done>)
    /// Releases the whole-file lock of a handle (FUSE_RELEASE_FLOCK_UNLOCK). Called just before
    /// ``release(_:handle:_:_:)``. Locks of ranges are released with ``flush(_:handle:lockOwner:_:)``. The default does
    /// nothing.
    func releaseWholeFileLock(_ node: NodeID, handle: UInt64, owner: UInt64)
}

/// The number by which the kernel and a file system refer to a file. The file system chooses it in its reply to a
/// look-up.
public struct NodeID: RawRepresentable, Hashable, Sendable {
    /// The number. It is never 0, because the kernel interprets 0 as "there is no such file".
    public let rawValue: UInt64

    /// Creates a node from its number.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The root directory of the mount.
    public static let root = NodeID(rawValue: 1)
}

/// The process that made a request, as the kernel knew it at that time.
///
/// All three numbers are 0 for requests without a process, such as writing back a mapped file.
public struct Caller: Hashable, Sendable {
    /// The user ID for file system access.
    public let userID: UInt32
    /// The group ID for file system access.
    public let groupID: UInt32
    /// The ID of the thread that made the request, in the PID namespace of the mount.
    public let processID: Int32

    /// Creates a caller from its parts.
    public init(userID: UInt32, groupID: UInt32, processID: Int32) {
        self.userID = userID
        self.groupID = groupID
        self.processID = processID
    }
}
