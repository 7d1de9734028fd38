import Glibc

/// Copies one regular file, whole or not at all.
package enum FileCopier {
    /// Copies an open file under a new name: cloned where the file system shares blocks, else copied by the kernel,
    /// else through a buffer. Holes, extended attributes, mode and times are kept; set-user-ID and set-group-ID only
    /// where the copy belongs to the same user or group.
    ///
    /// The name appears when the file is whole: until then the file has no name, and a copy that fails, is cancelled
    /// or whose process is killed leaves nothing. The copy is not forced to the disk.
    ///
    /// Blocks for as long as it takes. The closures are called on the calling thread.
    ///
    /// - Parameters:
    ///   - source: a regular file, open for reading. Its position is neither used nor moved.
    ///   - directory: where the copy goes.
    ///   - name: a name that is not taken there.
    ///   - origin: the side that chose the file. A copy of a peer's has neither a special mode nor an access control list.
    ///   - permissions: those of the copy, less the process's mask, where they are not the original's. The copy is made with them,
    ///     because a confined process cannot change them later.
    ///   - movesPosition: whether the source's position may be moved, because no other process uses it. A confined process cannot find
    ///     holes otherwise.
    ///   - progress: how many bytes are done, and how many there are (0 where the file does not say).
    ///   - isCancelled: asked between pieces of at most 16 MiB.
    /// - Returns: the slowest way that was needed.
    @discardableResult
    package static func copy(
        _ source: FileDescriptor, into directory: FileDescriptor, named name: String, origin: CopyOrigin = .user,
        permissions: mode_t? = nil, movesPosition: Bool = false,
        progress: (_ completed: Int, _ total: Int) -> Void = { _, _ in }, isCancelled: () -> Bool = { false }
    ) throws(CopyError) -> CopyMethod {
        guard let fileName = FileName(name) else { throw .invalidName(name) }
        let status = try CopyError.wrapping(name) { () throws(Errno) in try source.status() }
        guard status.kind == .regular else { throw .wrongKind(status.kind, path: name) }
        var staged = try CopyError.wrapping(name) { () throws(Errno) in
            guard let permissions else { return try StagedFile(in: directory) }
            return try StagedFile(in: directory, permissions: permissions)
        }
        var copier = ContentCopier(movesPositions: movesPosition)
        var completed = 0
        progress(0, status.size)
        let method: CopyMethod
        do throws(ContentError) {
            method = try copier.copy(
                source, status, to: staged.descriptor,
                advanced: { count in
                    completed += count
                    progress(completed, status.size)
                }, isCancelled: isCancelled)
        } catch {
            throw error.atPath(name)
        }
        if isCancelled() { throw .cancelled }
        do throws(Errno) {
            try CopiedMetadata.apply(
                from: source, status, to: staged.descriptor, origin: origin,
                mask: origin == .peer ? CreationMask.current : 0, keepsMode: permissions == nil)
            try staged.publish(as: fileName)
        } catch {
            throw CopyError(error, path: name)
        }
        return method
    }

    /// Copies the contents of an open file, and nothing else of it, to an empty one: cloned where the file system shares blocks,
    /// else copied by the kernel, else through a buffer.
    ///
    /// Blocks for as long as it takes. Positions are neither used nor moved, but as for a copy.
    ///
    /// - Parameters:
    ///   - name: what errors call the file.
    ///   - movesPosition: whether the source's position may be moved, because no other process uses it.
    package static func copyContents(
        of source: FileDescriptor, to target: FileDescriptor, named name: String, movesPosition: Bool = false
    ) throws(CopyError) {
        let status = try CopyError.wrapping(name) { () throws(Errno) in try source.status() }
        guard status.kind == .regular else { throw .wrongKind(status.kind, path: name) }
        var copier = ContentCopier(movesPositions: movesPosition)
        do throws(ContentError) {
            _ = try copier.copy(source, status, to: target, advanced: { _ in }, isCancelled: { false })
        } catch {
            throw error.atPath(name)
        }
    }

    /// Copies some bytes of an open file to the same place in another, which has a hole there: by the kernel, which shares blocks
    /// where the file system can, else through a buffer. Holes stay holes.
    ///
    /// Blocks for as long as it takes. Positions are neither used nor moved.
    ///
    /// - Parameters:
    ///   - name: what errors call the file.
    ///   - movesPosition: whether the source's position may be moved, because no other process uses it.
    ///   - isCancelled: asked between pieces of at most 16 MiB.
    /// - Throws: ``CopyError/changedDuringCopy(path:)`` where the file ends before.
    package static func copyRange(
        _ range: Range<Int>, of source: FileDescriptor, to target: FileDescriptor, named name: String,
        movesPosition: Bool = false, isCancelled: () -> Bool = { false }
    ) throws(CopyError) {
        let status = try CopyError.wrapping(name) { () throws(Errno) in try source.status() }
        guard status.kind == .regular else { throw .wrongKind(status.kind, path: name) }
        var copier = ContentCopier(movesPositions: movesPosition)
        do throws(ContentError) {
            try copier.copy(range, of: source, status, to: target, isCancelled: isCancelled)
        } catch {
            throw error.atPath(name)
        }
    }
}
