/// Copies directories with their contents. A copy is either complete or does not exist.
package enum TreeCopier {
    /// The number of copied files and bytes, and the entries that were left out.
    package struct Report: Sendable, Equatable {
        /// The number of regular files that were copied.
        package var files = 0
        /// The total size, in bytes, of the copied files.
        package var bytes = 0
        /// The pipes, sockets and devices, which are not copied, in the order of the walk.
        package var skipped: [SkippedEntry] = []
    }

    /// Copies a directory to a new name. Files are copied with ``FileCopier``. Symbolic links are copied unchanged. If
    /// a file has several hard links in the directory, each becomes a separate file.
    ///
    /// The name appears when the copy is complete. Until then, the copy has a hidden name in the same directory. If the
    /// copy fails or is cancelled, it is removed. If the process is killed, the next copy into that directory removes
    /// the leftovers.
    ///
    /// Blocks until the copy is made. The closures are called on the calling thread.
    ///
    /// - Parameters:
    ///   - source: a directory, open in any mode.
    ///   - directory: the directory of the copy. It must not be the source or lie within it.
    ///   - name: the name of the copy, which must be free.
    ///   - origin: the origin of the tree. The copies of a peer's files get no special mode bits and no access control
    ///     lists.
    ///   - progress: called with the number of bytes copied so far, and the number of bytes of all files. If this is
    ///     not `nil`, the size of the tree is determined first.
    ///   - isCancelled: called between entries and between pieces of files. The copy is cancelled when this returns
    ///     `true`.
    @discardableResult
    package static func copy(
        _ source: FileDescriptor, into directory: FileDescriptor, named name: String, origin: CopyOrigin = .user,
        progress: ((_ completed: Int, _ total: Int) -> Void)? = nil, isCancelled: () -> Bool = { false }
    ) throws(CopyError) -> Report {
        guard let fileName = FileName(name) else { throw .invalidName(name) }
        let root = try CopyError.wrapping(name) { () throws(Errno) in try source.status() }
        guard root.kind == .directory else { throw .wrongKind(root.kind, path: name) }
        // Fails before anything is copied. `publish(as:)` checks the name again.
        if (try? directory.status(of: fileName)) != nil { throw .alreadyExists(name: name) }
        var total = 0
        if progress != nil {
            guard let size = try walking({ () throws(WalkError) in try TreeSize.of(source, isCancelled: isCancelled) })
            else { throw .cancelled }
            total = size.bytes
        }
        TemporaryName.sweepMarked(directory)
        var staged = try CopyError.wrapping(name) { () throws(Errno) in try StagedTree(in: directory) }
        var copy = TreeCopy(
            into: staged.descriptor,
            destination: try CopyError.wrapping(name) { () throws(Errno) in try directory.status() }.identity,
            stagedAt: try CopyError.wrapping(name) { () throws(Errno) in try staged.descriptor.status() }.identity,
            origin: origin)
        progress?(0, total)
        try copy.run(source, advanced: { progress?($0, total) }, isCancelled: isCancelled)
        if isCancelled() { throw .cancelled }
        try CopyError.wrapping(name) { () throws(Errno) in try staged.publish(as: fileName) }
        return copy.report
    }

    static func walking<Result>(_ body: () throws(WalkError) -> Result) throws(CopyError) -> Result {
        do throws(WalkError) { return try body() } catch { throw CopyError(error) }
    }
}
