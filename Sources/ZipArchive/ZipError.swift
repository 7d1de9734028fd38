import LinuxSystem

/// The reason why an archive was not made. In every case, the output is as long as before.
///
/// Paths are those in the archive, which begin with the name of the archived item.
package enum ZipError: Error, Equatable {
    /// `isCancelled` returned true.
    case cancelled
    /// A file shrank, grew or was written to, or a directory's entries changed, while the archive was made.
    case changedDuringArchiving(path: String)
    /// The item is not a directory, or not a regular file, as the call requires.
    case wrongKind(FileStatus.Kind, path: String)
    /// A name that no archive entry can have: empty, `.`, `..`, with a `/` or a NUL.
    case invalidName(String)
    /// The path is longer than the 65,535 bytes that the format allows.
    case pathTooLong(path: String)
    /// A file that reports no size (in /proc) is larger than one piece.
    case sizeUnknown(path: String)
    /// A directory contains itself, which only a user-space file system can report.
    case containsItself(path: String)
    /// The output lies in the directory to archive.
    case archiveInsideSource
    /// The output is not a regular or memory file, or is not open for writing at arbitrary positions, which is needed
    /// to rewrite headers.
    case unsuitableOutput
    /// The disk is full, or the user's quota is.
    case noSpace
    case system(Errno, path: String)

    init(_ error: Errno, path: String) {
        switch error {
        case .noSpace, .quotaExceeded: self = .noSpace
        default: self = .system(error, path: path)
        }
    }

    /// Converts an error of the walk through the source directory.
    ///
    /// - Parameter root: the name of the source directory in the archive.
    init(_ error: WalkError, root: String) {
        func inArchive(_ path: String) -> String { path == "." ? root : root + "/" + path }
        switch error {
        case .changedDuringWalk(let path): self = .changedDuringArchiving(path: inArchive(path))
        case .containsItself(let path): self = .containsItself(path: inArchive(path))
        case .system(let error, let path): self = .system(error, path: inArchive(path))
        }
    }
}

extension ZipError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .cancelled: "the archive was cancelled"
        case .changedDuringArchiving(let path): "“\(path)” changed while the archive was made"
        case .wrongKind(let kind, let path): "“\(path)” cannot be archived so: it is \(kind.words)"
        case .invalidName(let name): "“\(name)” cannot be the name of an archive's entry"
        case .pathTooLong(let path): "the path “\(path.prefix(80))…” is too long for a zip archive"
        case .sizeUnknown(let path): "“\(path)” has no size"
        case .containsItself(let path): "the folder “\(path)” contains itself"
        case .archiveInsideSource: "the archive lies in the folder to archive"
        case .unsuitableOutput: "an archive can only be written to a regular file or a memory file"
        case .noSpace: "no space left for the archive"
        case .system(let error, let path): "“\(path)” could not be archived: \(error)"
        }
    }
}
