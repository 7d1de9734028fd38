/// Copies a directory with everything in it, whole or not at all.
package enum TreeCopier {
    /// What a copy of a tree did.
    package struct Report: Sendable, Equatable {
        /// Regular files copied.
        package var files = 0
        /// Bytes in them.
        package var bytes = 0
        /// Pipes, sockets and devices, which are not copied, in the order of the walk.
        package var skipped: [SkippedEntry] = []
    }

    /// Copies a directory under a new name. Each file is copied as by ``FileCopier``; symbolic links stay the links
    /// they are, wherever they point; several links to one file become several files.
    ///
    /// The name appears when the tree is whole: until then it grows under a hidden name beside it, which is removed if
    /// the copy fails or is cancelled. What a killed process left is removed by the next copy into that directory.
    ///
    /// Blocks for as long as it takes. The closures are called on the calling thread.
    ///
    /// - Parameters:
    ///   - source: a directory, open in any way.
    ///   - directory: where the copy goes; not inside the source.
    ///   - name: a name that is not taken there.
    ///   - origin: the side that chose the tree. Copies of a peer's have neither special modes nor access control lists.
    ///   - progress: how many bytes of all files are done, and how many there are. Given, the tree is measured first.
    ///   - isCancelled: asked between entries and between pieces of files.
    @discardableResult
    package static func copy(
        _ source: FileDescriptor, into directory: FileDescriptor, named name: String, origin: CopyOrigin = .user,
        progress: ((_ completed: Int, _ total: Int) -> Void)? = nil, isCancelled: () -> Bool = { false }
    ) throws(CopyError) -> Report {
        guard let fileName = FileName(name) else { throw .invalidName(name) }
        let root = try CopyError.wrapping(name) { () throws(Errno) in try source.status() }
        guard root.kind == .directory else { throw .wrongKind(root.kind, path: name) }
        // Known now rather than after an hour; publishing makes sure of it.
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
