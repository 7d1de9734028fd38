import Glibc

/// The copying of a regular file. A copy is complete or does not exist.
package enum FileCopier {
    /// Copies an open file to a new name: by a clone if the file system supports that, otherwise by the kernel,
    /// otherwise through a buffer. Holes, extended attributes, mode and times are kept. Set-user-ID and set-group-ID
    /// are kept only if the copy belongs to the same user or group.
    ///
    /// The name appears when the file is complete. Until then the file has no name where the file system supports
    /// that (see ``StagedFile``), so that a copy that fails, is cancelled or whose process is killed leaves nothing.
    /// The copy is not flushed to disk.
    ///
    /// Blocks until the copy is made. The closures are called on the calling thread.
    ///
    /// - Parameters:
    ///   - source: a regular file, open for reading. Its position is neither used nor moved.
    ///   - directory: the directory of the copy.
    ///   - name: the name of the copy, which must be free.
    ///   - origin: the side that chose the file. The copy of a peer's file gets no special mode bits and no access
    ///     control list.
    ///   - permissions: the permissions of the copy, less the umask, instead of the original's. The copy is created
    ///     with them, because a confined process cannot change them later.
    ///   - movesPosition: whether the source's position may be moved, because no other process uses it. A confined
    ///     process needs that permission to find holes.
    ///   - progress: called with the number of copied bytes and the total, which is 0 if the file does not report its
    ///     size.
    ///   - isCancelled: called between pieces of at most 16 MiB.
    /// - Returns: the slowest method that was used.
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
                mask: origin == .peer && permissions == nil ? CreationMask.current : 0, keepsMode: permissions == nil)
            try staged.publish(as: fileName)
        } catch {
            throw CopyError(error, path: name)
        }
        return method
    }

    /// Copies only the contents of an open file to an empty one: by a clone if the file system supports that,
    /// otherwise by the kernel, otherwise through a buffer.
    ///
    /// Blocks until the copy is made. Neither uses nor moves positions, except with `movesPosition`.
    ///
    /// - Parameters:
    ///   - name: the file's name in errors.
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

    /// Copies a range of an open file to the same range of another file, which must be a hole there. The kernel copies
    /// the bytes, or shares the blocks if the file system supports that. Without support of the kernel, the bytes are
    /// copied through a buffer. Holes stay holes.
    ///
    /// Blocks until the copy is made. Neither uses nor moves positions, except with `movesPosition`.
    ///
    /// - Parameters:
    ///   - name: the file's name in errors.
    ///   - movesPosition: whether the source's position may be moved, because no other process uses it.
    ///   - isCancelled: called between pieces of at most 16 MiB.
    /// - Throws: ``CopyError/changedDuringCopy(path:)`` if the file ends before the range does.
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

/// The method by which a file's bytes were copied.
package enum CopyMethod: Sendable {
    /// The two files share their blocks (btrfs, xfs). No byte was copied.
    case clone
    /// The kernel copied the bytes (copy_file_range(2)).
    case copyFileRange
    /// The bytes were copied through a buffer of this process.
    case readWrite
}
