import Glibc
import LinuxSystem

/// Makes zip archives (PKWARE APPNOTE 6.3, zip64 included) of a folder or a file.
///
/// The same tree gives the same bytes, whatever the number of threads and the time zone: entries are in the order of
/// the walk (``TreeWalker``), times are those of the files, in UTC. Permissions are kept, symbolic links are links in
/// the archive, wherever they point. Pipes, sockets and devices are left out and reported.
///
/// Files are compressed on threads of the archiver's own. Memory is bounded: some 4 MiB for each thread, and at most
/// 32 MiB of what waits to be written.
///
/// The calls block, and their closures are called on the calling thread.
package enum ZipArchiver {
    /// How an archive is made.
    package struct Options: Sendable {
        /// How many threads compress.
        package var threads: Int
        /// From 1 (fast) to 12 (small).
        package var level: Int
        /// Where in the output the archive begins. What lies before it stays: a program that unpacks itself, say.
        package var position: Int

        package init(threads: Int = Options.processors, level: Int = 6, position: Int = 0) {
            self.threads = threads
            self.level = level
            self.position = position
        }

        /// The processors this machine has.
        package static var processors: Int { max(1, sysconf(CInt(_SC_NPROCESSORS_ONLN))) }
    }

    /// What an archive holds.
    package struct Report: Sendable, Equatable {
        package var entries = 0
        /// Bytes of all files, before compression.
        package var bytes = 0
        /// Bytes of the archive.
        package var archiveBytes = 0
        /// What was left out, in the order of the walk.
        package var skipped: [SkippedEntry] = []
    }

    /// Writes an archive whose only entry at the root is the directory itself: `name/`, `name/…`.
    ///
    /// The output may be any regular or memory file that is open for writing at any position. An archive that fails or
    /// is cancelled is cut off it again. A tree or file that changes meanwhile fails the archive.
    ///
    /// - Parameters:
    ///   - directory: open in any way.
    ///   - name: what the directory is called in the archive.
    ///   - shouldStore: whether a file of this name is compressed already, so that trying again would be in vain.
    ///   - progress: how many bytes of all files are done, and how many there are. Given, the tree is measured first.
    ///   - isCancelled: asked between entries and between pieces of 2 MiB.
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

    /// Writes an archive of one regular file, its only entry. Everything else is as for a directory.
    ///
    /// - Parameter file: open for reading. Its position is neither used nor moved.
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

    /// Adds entries through the closure, completes the archive, and takes it back if anything fails.
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
