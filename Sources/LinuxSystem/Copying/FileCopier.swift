import Glibc

/// Copies regular files. A copy is either complete or does not exist.
package enum FileCopier {
    /// Copies an open file to a new name. Uses the first of these methods that the file systems support: a clone, a
    /// copy by the kernel, and a copy through a buffer. The copy has the holes, extended attributes, mode and times of
    /// the original. Set-user-ID is kept only if the copy has the same owner, and set-group-ID only if it has the same
    /// group.
    ///
    /// The name appears when the copy is complete. Until then, the copy has no name if the file system supports this
    /// (see ``StagedFile``). In that case, no file remains if the copy fails or is cancelled, or if the process is
    /// killed. On other file systems, a killed process leaves a file with a hidden name. The first copy that a later
    /// process makes into the directory removes that file. The copy is not flushed to disk.
    ///
    /// Blocks until the copy is made. The closures are called on the calling thread.
    ///
    /// - Parameters:
    ///   - source: a regular file, open for reading. Its position is neither used nor moved, except with
    ///     `movesPosition`.
    ///   - directory: the directory of the copy.
    ///   - name: the name of the copy.
    ///   - replacing: whether the copy may atomically replace a file that has the name. If `false`, the name must be
    ///     free.
    ///   - origin: the origin of the file. The copy of a peer's file gets no special mode bits and no access control
    ///     list.
    ///   - permissions: the permissions of the copy, from which the umask is subtracted; `nil` for those of the
    ///     original. The copy is created with these permissions, because a confined process cannot change them later.
    ///   - movesPosition: whether the source's position may be moved, because no other process uses it. A confined
    ///     process can find holes only if this is `true`.
    ///   - progress: called with the number of copied bytes and the file's size, which is 0 if the file does not report
    ///     it.
    ///   - isCancelled: called between pieces of at most 16 MiB. The copy is cancelled when this returns `true`.
    /// - Returns: the slowest method that was used.
    @discardableResult
    package static func copy(
        _ source: FileDescriptor, into directory: FileDescriptor, named name: String, replacing: Bool = false,
        origin: CopyOrigin = .user, permissions: mode_t? = nil, movesPosition: Bool = false,
        progress: (_ completed: Int, _ total: Int) -> Void = { _, _ in }, isCancelled: () -> Bool = { false }
    ) throws(CopyError) -> CopyMethod {
        guard let fileName = FileName(name) else { throw .invalidName(name) }
        let status = try CopyError.wrapping(name) { () throws(Errno) in try source.status() }
        guard status.kind == .regular else { throw .wrongKind(status.kind, path: name) }
        var staged = try CopyError.wrapping(name) { () throws(Errno) in
            guard let permissions else { return try StagedFile(in: directory, replacing: replacing) }
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
            if replacing { try staged.replace(fileName, durably: false) } else { try staged.publish(as: fileName) }
        } catch {
            throw CopyError(error, path: name)
        }
        return method
    }

    /// Copies only the contents of an open file to an empty file. Uses the first of these methods that the file systems
    /// support: a clone, a copy by the kernel, and a copy through a buffer.
    ///
    /// Blocks until the copy is made. The positions of the descriptors are neither used nor moved, except with
    /// `movesPosition`.
    ///
    /// - Parameters:
    ///   - name: the name of the file, to be used in errors.
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

    /// Copies a range of an open file to the same range of another file. In the other file, the range must be a hole.
    /// The kernel copies the bytes, or shares the blocks if the file system supports this. If the kernel cannot copy,
    /// the bytes are copied through a buffer. Holes are preserved.
    ///
    /// Blocks until the copy is made. The positions of the descriptors are neither used nor moved, except with
    /// `movesPosition`.
    ///
    /// - Parameters:
    ///   - name: the name of the file, to be used in errors.
    ///   - movesPosition: whether the source's position may be moved, because no other process uses it.
    ///   - isCancelled: called between pieces of at most 16 MiB. The copy is cancelled when this returns `true`.
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
    /// The copy shares the blocks of the original (btrfs, xfs). No byte was copied.
    case clone
    /// The kernel copied the bytes (copy_file_range(2)).
    case copyFileRange
    /// The bytes were copied through a buffer of this process.
    case readWrite
}
