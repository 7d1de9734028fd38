import LinuxSystem

/// Why an archive was not made. Whichever it is, the output is as long as it was before.
///
/// Paths are those in the archive, which begin with the name of what is archived.
package enum ZipError: Error, Equatable {
    /// The closure that asks said so.
    case cancelled
    /// A file shrank, grew or was written to, or a folder's entries changed, while the archive was made.
    case changedDuringArchiving(path: String)
    /// Not a directory, or not a regular file, as the call wants it.
    case wrongKind(FileStatus.Kind, path: String)
    /// A name no archive entry can have: empty, `.`, `..`, with a `/` or a NUL.
    case invalidName(String)
    /// More than the 65,535 bytes that the format has for a path.
    case pathTooLong(path: String)
    /// A file that does not say how long it is (in /proc) and is longer than fits in memory well.
    case sizeUnknown(path: String)
    /// A folder that contains itself, which only a file system served by a program can show.
    case containsItself(path: String)
    /// The output lies in the folder to archive.
    case archiveInsideSource
    /// The output is no regular or memory file, or is open for appending only: headers could not be completed.
    case unsuitableOutput
    /// The disk is full, or the user's share of it.
    case noSpace
    case system(Errno, path: String)

    init(_ error: Errno, path: String) {
        switch error {
        case .noSpace, .quotaExceeded: self = .noSpace
        default: self = .system(error, path: path)
        }
    }

    /// - Parameter root: what the walk's root is called in the archive.
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
        case .sizeUnknown(let path): "“\(path)” does not say how long it is"
        case .containsItself(let path): "the folder “\(path)” contains itself"
        case .archiveInsideSource: "the archive lies in the folder to archive"
        case .unsuitableOutput: "an archive can only be written to a regular file or a memory file"
        case .noSpace: "no space left for the archive"
        case .system(let error, let path): "“\(path)” could not be archived: \(error)"
        }
    }
}
