/// Why a copy was not made. Whichever it is, nothing was left at the destination.
///
/// A path is the name asked for, or lies below the folder that was copied.
package enum CopyError: Error, Equatable {
    /// The closure that asks said so.
    case cancelled
    /// The file shrank, grew or was written to while it was copied.
    case changedDuringCopy(path: String)
    /// Something was added to, removed from or replaced in a folder while it was copied.
    case changedDuringWalk(path: String)
    /// Neither a file nor, for a tree, a directory: a pipe or device could block or never end.
    case wrongKind(FileStatus.Kind, path: String)
    /// A name no directory entry can have.
    case invalidName(String)
    /// The name is taken at the destination.
    case alreadyExists(name: String)
    /// The disk is full, or the user's share of it.
    case noSpace(path: String)
    /// The destination lies in the folder to copy.
    case destinationInsideSource
    /// A folder that contains itself, which only a file system served by a program can show.
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
    /// Runs system calls about one path.
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
