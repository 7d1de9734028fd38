import Glibc
import LinuxSystem

/// An archiver that makes zip archives (PKWARE APPNOTE 6.3, zip64 included) of a directory or a file.
///
/// The same tree makes the same bytes, regardless of the number of threads and the time zone: entries are in the order
/// of the walk (``TreeWalker``), and times are those of the files, in UTC. Permissions are preserved. Symbolic links
/// stay links in the archive, regardless of their targets. Pipes, sockets and devices are left out and reported.
///
/// Files are compressed on separate threads. Memory is bounded: about 4 MiB for each thread, and at most 32 MiB of data
/// that waits to be written.
///
/// The calls block, and call their closures on the calling thread.
package enum ZipArchiver {
    /// The options of an archive.
    package struct Options: Sendable {
        /// The number of threads that compress.
        package var threads: Int
        /// The compression level, from 1 (fast) to 12 (small).
        package var level: Int
        /// The position in the output at which the archive begins. Earlier bytes stay, such as a self-extracting
        /// program.
        package var position: Int
        /// The side that chose the directory or file: this process, or a peer. In an archive of a peer's files, only
        /// the owner has write permission.
        package var origin: CopyOrigin

        package init(
            threads: Int = Options.processors, level: Int = 6, position: Int = 0, origin: CopyOrigin = .user
        ) {
            self.threads = threads
            self.level = level
            self.position = position
            self.origin = origin
        }

        /// The number of processors of this machine.
        package static var processors: Int { max(1, sysconf(CInt(_SC_NPROCESSORS_ONLN))) }
    }

    /// The statistics of a finished archive.
    package struct Report: Sendable, Equatable {
        package var entries = 0
        /// The size of all files before compression, in bytes.
        package var bytes = 0
        /// The size of the archive in bytes.
        package var archiveBytes = 0
        /// The entries that were left out, in the order of the walk.
        package var skipped: [SkippedEntry] = []
    }

    /// Writes an archive with the directory itself as the only entry at the root: `name/`, `name/…`.
    ///
    /// The output may be any regular or memory file that is open for writing at arbitrary positions. If the archive
    /// fails or is cancelled, the output is truncated to its earlier length. The archive fails if the tree or file
    /// changes meanwhile.
    ///
    /// - Parameters:
    ///   - directory: the directory. Its descriptor may be open in any mode.
    ///   - name: the directory's name in the archive.
    ///   - shouldStore: whether a file of this name is compressed already, so that compressing it is useless.
    ///   - progress: called with the completed and the total bytes of all files. If given, the tree is measured
    ///     first.
    ///   - isCancelled: called between entries and between pieces of 2 MiB.
    @discardableResult
    package static func archive(
        directory: FileDescriptor, named name: String, to output: FileDescriptor, options: Options = Options(),
        shouldStore: (_ name: String) -> Bool = { _ in false },
        progress: ((_ completed: Int, _ total: Int) -> Void)? = nil, isCancelled: () -> Bool = { false }
    ) throws(ZipError) -> Report {
        let (rootName, _) = try checked(directory, name, .directory)
        let total = progress == nil ? 0 : try measure(directory, name, isCancelled: isCancelled)
        return try write(
            to: output, options, progress: { progress?($0, total) }, isCancelled: isCancelled
        ) { (writer: inout ArchiveWriter) throws(ZipError) in
            try writer.add(tree: directory, named: rootName, shouldStore: shouldStore)
        }
    }

    /// Writes an archive of one regular file, its only entry. Otherwise the same as for a directory.
    ///
    /// - Parameter file: the file, open for reading. The descriptor's position is neither used nor moved.
    @discardableResult
    package static func archive(
        file: FileDescriptor, named name: String, to output: FileDescriptor, options: Options = Options(),
        shouldStore: (_ name: String) -> Bool = { _ in false },
        progress: ((_ completed: Int, _ total: Int) -> Void)? = nil, isCancelled: () -> Bool = { false }
    ) throws(ZipError) -> Report {
        let (fileName, status) = try checked(file, name, .regular)
        return try write(
            to: output, options, progress: { progress?($0, status.size) }, isCancelled: isCancelled
        ) { (writer: inout ArchiveWriter) throws(ZipError) in
            try writer.add(file: file, status, named: fileName, shouldStore: shouldStore)
        }
    }

    private static func checked(
        _ source: FileDescriptor, _ name: String, _ kind: FileStatus.Kind
    ) throws(ZipError) -> (FileName, FileStatus) {
        guard let fileName = FileName(name) else { throw .invalidName(name) }
        let status: FileStatus
        do throws(Errno) { status = try source.status() } catch { throw ZipError(error, path: name) }
        guard status.kind == kind else { throw .wrongKind(status.kind, path: name) }
        return (fileName, status)
    }

    private static func measure(
        _ directory: FileDescriptor, _ name: String, isCancelled: () -> Bool
    ) throws(ZipError) -> Int {
        let size: TreeSize?
        do throws(WalkError) {
            size = try TreeSize.of(directory, isCancelled: isCancelled)
        } catch {
            throw ZipError(error, root: name)
        }
        guard let size else { throw .cancelled }
        return size.bytes
    }

    /// Adds the entries by calling a closure, and completes the archive. Truncates the output if anything fails.
    private static func write(
        to output: FileDescriptor, _ options: Options, progress: (Int) -> Void, isCancelled: () -> Bool,
        adding: (inout ArchiveWriter) throws(ZipError) -> Void
    ) throws(ZipError) -> Report {
        try withoutActuallyEscaping(progress) { progress throws(ZipError) in
            try withoutActuallyEscaping(isCancelled) { isCancelled throws(ZipError) in
                var writer = try ArchiveWriter(output, options, progress: progress, isCancelled: isCancelled)
                do throws(ZipError) {
                    try adding(&writer)
                    return try writer.finish()
                } catch {
                    writer.discard()
                    throw error
                }
            }
        }
    }
}
