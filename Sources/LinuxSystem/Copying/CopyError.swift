/// The reason why a copy was not made. In every case, no part of the copy is left at the destination.
///
/// The path in an error is the requested name, or a path relative to the directory that was copied.
package enum CopyError: Error, Equatable {
    /// The caller's `isCancelled` returned `true`.
    case cancelled
    /// The file was truncated, extended or written to during the copy.
    case changedDuringCopy(path: String)
    /// An entry of a directory was added, removed or replaced during the copy.
    case changedDuringWalk(path: String)
    /// The item to copy is of the wrong kind: a file copy requires a regular file, and a tree copy a directory. Reading
    /// a pipe or a device could block or never end.
    case wrongKind(FileStatus.Kind, path: String)
    /// The name is not valid for a directory entry.
    case invalidName(String)
    /// An entry with this name exists at the destination.
    case alreadyExists(name: String)
    /// The disk is full, or the user's quota is exceeded.
    case noSpace(path: String)
    /// The destination is the directory that is copied, or is within it.
    case destinationInsideSource
    /// A directory contains itself. Only a FUSE file system can report this.
    case containsItself(path: String)
    case system(Errno, path: String)

    package init(_ error: Errno, path: String) {
        switch error {
        case .noSpace, .quotaExceeded: self = .noSpace(path: path)
        case .fileExists: self = .alreadyExists(name: path)
        default: self = .system(error, path: path)
        }
    }

    package init(_ error: WalkError) {
        switch error {
        case .changedDuringWalk(let path): self = .changedDuringWalk(path: path)
        case .containsItself(let path): self = .containsItself(path: path)
        case .system(let error, let path): self = .system(error, path: path)
        }
    }
}

extension CopyError {
    /// Runs a function that makes system calls on one path, and adds the path to an error that it throws.
    static func wrapping<Result: ~Copyable>(
        _ path: @autoclosure () -> String, _ body: () throws(Errno) -> Result
    ) throws(CopyError) -> Result {
        do throws(Errno) { return try body() } catch { throw CopyError(error, path: path()) }
    }
}

extension CopyError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .cancelled: "the copy was cancelled"
        case .changedDuringCopy(let path): "“\(path)” changed while it was copied"
        case .changedDuringWalk(let path): "the folder changed while it was copied, at “\(path)”"
        case .wrongKind(let kind, let path): "“\(path)” cannot be copied: it is \(kind.words)"
        case .invalidName(let name): "“\(name)” cannot be the name of a file"
        case .alreadyExists(let name): "“\(name)” already exists"
        case .noSpace(let path): "no space left to copy “\(path)”"
        case .destinationInsideSource: "a folder cannot be copied into itself"
        case .containsItself(let path): "the folder “\(path)” contains itself"
        case .system(let error, let path): "“\(path)” could not be copied: \(error)"
        }
    }
}
