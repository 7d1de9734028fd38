import LinuxSystem

extension FileSystem {
    /// Does nothing.
    public func start(_ session: Session) {}
    /// Does nothing.
    public func end() {}

    /// Replies `ENOSYS`.
    public func lookup(_ name: Name, in parent: NodeID, _ reply: Reply<Entry>) { reply.fail(.noSystemCall) }
    /// Does nothing.
    public func forget(_ node: NodeID, count: UInt64) {}
    /// Replies `ENOSYS`.
    public func makeDirectory(_ name: Name, in parent: NodeID, mode: UInt32, _ reply: Reply<Entry>) {
        reply.fail(.noSystemCall)
    }
    /// Replies `ENOSYS`.
    public func makeSymbolicLink(_ name: Name, in parent: NodeID, target: Name, _ reply: Reply<Entry>) {
        reply.fail(.noSystemCall)
    }
    /// Replies `ENOSYS`.
    public func makeNode(_ name: Name, in parent: NodeID, mode: UInt32, device: UInt32, _ reply: Reply<Entry>) {
        reply.fail(.noSystemCall)
    }
    /// Replies `ENOSYS`.
    public func makeLink(to node: NodeID, _ name: Name, in parent: NodeID, _ reply: Reply<Entry>) {
        reply.fail(.noSystemCall)
    }
    /// Replies `ENOSYS`.
    public func unlink(_ name: Name, in parent: NodeID, _ reply: Reply<Done>) { reply.fail(.noSystemCall) }
    /// Replies `ENOSYS`.
    public func removeDirectory(_ name: Name, in parent: NodeID, _ reply: Reply<Done>) { reply.fail(.noSystemCall) }
    /// Replies `ENOSYS`.
    public func rename(
        _ name: Name, in parent: NodeID, to newName: Name, in newParent: NodeID, _ flags: RenameFlags,
        _ reply: Reply<Done>
    ) {
        reply.fail(.noSystemCall)
    }

    /// Replies `ENOSYS`.
    public func attributes(of node: NodeID, handle: UInt64?, _ reply: Reply<AttributesReply>) {
        reply.fail(.noSystemCall)
    }
    /// Replies `ENOSYS`.
    public func setAttributes(of node: NodeID, _ change: AttributeChange, _ reply: Reply<AttributesReply>) {
        reply.fail(.noSystemCall)
    }
    /// Replies `ENOSYS`.
    public func readLink(_ node: NodeID, _ reply: Reply<Bytes>) { reply.fail(.noSystemCall) }
    /// Replies with ``Statistics/init()``.
    public func statistics(_ reply: Reply<Statistics>) { reply.reply(Statistics()) }
    /// Replies `ENOSYS`.
    public func extendedAttribute(_ name: Name, of node: NodeID, _ reply: Reply<Bytes>) {
        reply.fail(.noSystemCall)
    }
    /// Replies `ENOSYS`.
    public func extendedAttributes(of node: NodeID, _ reply: Reply<NameList>) { reply.fail(.noSystemCall) }
    /// Replies `ENOSYS`.
    public func setExtendedAttribute(
        _ name: Name, of node: NodeID, to value: UnsafeRawBufferPointer, _ policy: AttributePolicy, _ reply: Reply<Done>
    ) {
        reply.fail(.noSystemCall)
    }
    /// Replies `ENOSYS`.
    public func removeExtendedAttribute(_ name: Name, of node: NodeID, _ reply: Reply<Done>) {
        reply.fail(.noSystemCall)
    }

    /// Replies `ENOSYS`.
    public func open(_ node: NodeID, _ flags: OpenFlags, _ reply: Reply<OpenReply>) { reply.fail(.noSystemCall) }
    /// Replies `ENOSYS`.
    public func create(
        _ name: Name, in parent: NodeID, mode: UInt32, _ flags: OpenFlags, _ reply: Reply<CreateReply>
    ) {
        reply.fail(.noSystemCall)
    }
    /// Replies `ENOSYS`.
    public func read(_ node: NodeID, handle: UInt64, at offset: Int64, count: Int, _ reply: Reply<Bytes>) {
        reply.fail(.noSystemCall)
    }
    /// Replies `ENOSYS`.
    public func write(
        _ node: NodeID, handle: UInt64, at offset: Int64, _ bytes: UnsafeRawBufferPointer, _ flags: WriteFlags,
        _ reply: Reply<Int>
    ) {
        reply.fail(.noSystemCall)
    }
    /// Replies `ENOSYS`.
    public func flush(_ node: NodeID, handle: UInt64, lockOwner: UInt64, _ reply: Reply<Done>) {
        reply.fail(.noSystemCall)
    }
    /// Replies `ENOSYS`.
    public func release(_ node: NodeID, handle: UInt64, _ flags: OpenFlags, _ reply: Reply<Done>) {
        reply.fail(.noSystemCall)
    }
    /// Replies `ENOSYS`.
    public func fsync(_ node: NodeID, handle: UInt64, dataOnly: Bool, _ reply: Reply<Done>) {
        reply.fail(.noSystemCall)
    }
    /// Replies `ENOSYS`.
    public func allocate(
        _ node: NodeID, handle: UInt64, offset: Int64, length: Int64, _ flags: AllocationFlags, _ reply: Reply<Done>
    ) {
        reply.fail(.noSystemCall)
    }
    /// Replies `ENOSYS`.
    public func seek(
        _ node: NodeID, handle: UInt64, from offset: Int64, to target: SeekTarget, _ reply: Reply<Int64>
    ) {
        reply.fail(.noSystemCall)
    }
    /// Replies `ENOSYS`.
    public func copyFileRange(
        from node: NodeID, handle: UInt64, offset: Int64, to destination: NodeID, handle destinationHandle: UInt64,
        offset destinationOffset: Int64, count: Int, _ reply: Reply<Int>
    ) {
        reply.fail(.noSystemCall)
    }

    /// Replies `ENOSYS`.
    public func openDirectory(_ node: NodeID, _ flags: OpenFlags, _ reply: Reply<OpenReply>) {
        reply.fail(.noSystemCall)
    }
    /// Replies `ENOSYS`.
    public func readDirectory(_ node: NodeID, handle: UInt64, after cookie: UInt64, _ reply: Reply<Listing>) {
        reply.fail(.noSystemCall)
    }
    /// Replies `ENOSYS`.
    public func releaseDirectory(_ node: NodeID, handle: UInt64, _ reply: Reply<Done>) { reply.fail(.noSystemCall) }
    /// Replies `ENOSYS`.
    public func fsyncDirectory(_ node: NodeID, handle: UInt64, dataOnly: Bool, _ reply: Reply<Done>) {
        reply.fail(.noSystemCall)
    }

    /// Replies `ENOSYS`.
    public func conflictingLock(
        _ node: NodeID, handle: UInt64, _ request: LockRequest, _ reply: Reply<FileLock>
    ) {
        reply.fail(.noSystemCall)
    }
    /// Replies `ENOSYS`.
    public func setLock(_ node: NodeID, handle: UInt64, _ request: LockRequest, _ reply: Reply<Done>) {
        reply.fail(.noSystemCall)
    }
    /// Does nothing.
    public func releaseWholeFileLock(_ node: NodeID, handle: UInt64, owner: UInt64) {}
}
