/// A file system: what answers the kernel's requests.
///
/// Requests come on the session's own threads, several at a time. A function returns soon and never waits for another process;
/// it answers by its ``Reply``, at once or later from any thread. A request that waits delays nobody else.
///
/// Every function has a default that answers `ENOSYS`, which the kernel takes, for most of them, as never to be asked again:
/// a file system without ``open(_:_:_:)`` has its files opened without being asked. Where that differs, it is said.
///
/// Functions are called in the order in which the kernel sends requests only as far as one process's system calls follow one
/// another.
public protocol FileSystem: AnyObject, Sendable {
    /// The session has begun. Comes before all requests.
    func start(_ session: Session)

    /// The session has ended: nothing is mounted any more, and no request comes any more. What is open counts as closed, and
    /// everything as forgotten.
    func end()

    // MARK: Names

    /// The file that a name leads to. Names have up to 1024 bytes, in this and the other functions. Fails with `ENOENT` where there is none, or answers ``Entry/none(nameValidity:)``.
    func lookup(_ name: Name, in parent: NodeID, _ reply: Reply<Entry>)
    /// The kernel lets go of so many look-ups of a node, and of the node itself where none is left. The default does nothing.
    func forget(_ node: NodeID, count: UInt64)
    /// Makes a folder. `mode` has no bit that the caller's umask takes away.
    func makeFolder(_ name: Name, in parent: NodeID, mode: UInt32, _ reply: Reply<Entry>)
    /// Makes a symbolic link.
    func makeSymbolicLink(_ name: Name, in parent: NodeID, target: Name, _ reply: Reply<Entry>)
    /// Makes a file, a pipe, a socket or a device, whichever `mode` says. Files come here where ``create(_:in:mode:_:_:)`` is missing.
    func makeNode(_ name: Name, in parent: NodeID, mode: UInt32, device: UInt32, _ reply: Reply<Entry>)
    /// Gives a file one more name.
    func makeLink(to node: NodeID, _ name: Name, in parent: NodeID, _ reply: Reply<Entry>)
    /// Removes a name of what is no folder. The node lives on until it is forgotten: openings of it go on to work.
    func remove(_ name: Name, in parent: NodeID, _ reply: Reply<Done>)
    /// Removes an empty folder.
    func removeFolder(_ name: Name, in parent: NodeID, _ reply: Reply<Done>)
    /// Gives a file another name, in the same folder or another one.
    func rename(
        _ name: Name, in parent: NodeID, to newName: Name, in newParent: NodeID, _ flags: RenameFlags,
        _ reply: Reply<Done>)

    // MARK: Attributes

    /// What stat(2) tells. `handle` is an opening of the file, where the caller has one.
    func attributes(of node: NodeID, handle: UInt64?, _ reply: Reply<AttributesAnswer>)
    /// Changes attributes, the size among them; answers with all of them.
    func setAttributes(of node: NodeID, _ change: AttributeChange, _ reply: Reply<AttributesAnswer>)
    /// A symbolic link's target.
    func readLink(_ node: NodeID, _ reply: Reply<Bytes>)
    /// What statfs(2) tells. The default answers with ``Statistics/init()``.
    func statistics(_ reply: Reply<Statistics>)
    /// The value of an extended attribute; `ENODATA` where there is none. Callers that ask for its size only, and those with too
    /// little room, are seen to.
    func extendedAttribute(_ name: Name, of node: NodeID, _ reply: Reply<Bytes>)
    /// The names of all extended attributes.
    func extendedAttributes(of node: NodeID, _ reply: Reply<NameList>)
    /// Sets an extended attribute. `value` is there until the function returns.
    func setExtendedAttribute(
        _ name: Name, of node: NodeID, to value: UnsafeRawBufferPointer, _ policy: AttributePolicy, _ reply: Reply<Done>
    )
    /// Removes an extended attribute.
    func removeExtendedAttribute(_ name: Name, of node: NodeID, _ reply: Reply<Done>)

    // MARK: Files

    /// Opens a file. Flags may have ``OpenFlags/truncate``.
    func open(_ node: NodeID, _ flags: OpenFlags, _ reply: Reply<Opening>)
    /// Makes a file and opens it. It did not exist when the kernel looked; another process may have made it since.
    func create(_ name: Name, in parent: NodeID, mode: UInt32, _ flags: OpenFlags, _ reply: Reply<Creation>)
    /// Reads. Fewer bytes than asked for mean the end of the file. `count` is no more than ``MountOptions/largestRead``.
    func read(_ node: NodeID, handle: UInt64, at offset: Int64, count: Int, _ reply: Reply<Bytes>)
    /// Writes, and answers how much was written. `bytes` are there until the function returns. Where the flags say that they go to
    /// the end, `offset` is the size that the kernel knows.
    func write(
        _ node: NodeID, handle: UInt64, at offset: Int64, _ bytes: UnsafeRawBufferPointer, _ flags: WriteFlags,
        _ reply: Reply<Int>)
    /// A descriptor of the opening was closed; close(2) waits for the answer and returns it. Comes as often as an opening has
    /// descriptors, which is more than once after fork(2) or dup(2).
    func flush(_ node: NodeID, handle: UInt64, lockOwner: UInt64, _ reply: Reply<Done>)
    /// The opening has gone, once for every ``open(_:_:_:)``. Nobody waits for the answer.
    func release(_ node: NodeID, handle: UInt64, _ flags: OpenFlags, _ reply: Reply<Done>)
    /// fsync(2), or fdatasync(2).
    func synchronize(_ node: NodeID, handle: UInt64, dataOnly: Bool, _ reply: Reply<Done>)
    /// fallocate(2). After the default, callers are told that the file system cannot.
    func allocate(
        _ node: NodeID, handle: UInt64, offset: Int64, length: Int64, _ flags: AllocationFlags, _ reply: Reply<Done>)
    /// Where data or a hole begins; `ENXIO` after the end. After the default, files have no holes.
    func seek(_ node: NodeID, handle: UInt64, from offset: Int64, to target: SeekTarget, _ reply: Reply<Int64>)
    /// copy_file_range(2): answers how much was copied. After the default, the kernel reads and writes.
    func copyRange(
        from node: NodeID, handle: UInt64, offset: Int64, to destination: NodeID, handle destinationHandle: UInt64,
        offset destinationOffset: Int64, count: Int, _ reply: Reply<Int>)

    // MARK: Folders

    /// Opens a folder.
    func openFolder(_ node: NodeID, _ flags: OpenFlags, _ reply: Reply<Opening>)
    /// Lists a folder from the entry after `cookie` on, or from the first where that is 0, in ``Reply/listing()``. An empty
    /// listing is the end. Entries that come or go meanwhile must not make others appear twice or not at all.
    func readFolder(_ node: NodeID, handle: UInt64, after cookie: UInt64, _ reply: Reply<Listing>)
    /// The opening has gone.
    func releaseFolder(_ node: NodeID, handle: UInt64, _ reply: Reply<Done>)
    /// fsync(2) of a folder.
    func synchronizeFolder(_ node: NodeID, handle: UInt64, dataOnly: Bool, _ reply: Reply<Done>)

    // MARK: Locks

    /// The lock that stands in the way of another, or one of kind ``FileLock/Kind/none``. Asked for only with
    /// ``MountOptions/servesLocks`` or ``MountOptions/servesWholeFileLocks``; otherwise the kernel keeps locks itself.
    func conflictingLock(_ node: NodeID, handle: UInt64, _ request: LockRequest, _ reply: Reply<FileLock>)
    /// Sets a lock or gives it up; fails with `EAGAIN` where it cannot be had at once and the request does not wait.
    func setLock(_ node: NodeID, handle: UInt64, _ request: LockRequest, _ reply: Reply<Done>)
    /// An opening that goes had a lock of the whole file, which goes with it. Comes just before ``release(_:handle:_:_:)``. Locks of
    /// ranges go with ``flush(_:handle:lockOwner:_:)``. The default does nothing.
    func releaseWholeFileLock(_ node: NodeID, handle: UInt64, owner: UInt64)
}
