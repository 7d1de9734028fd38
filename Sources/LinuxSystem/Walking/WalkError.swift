/// The reason why a walk through a tree ended early. Paths are relative to the walk's root.
package enum WalkError: Error, Equatable {
    /// An entry vanished, changed its kind, or was added after its directory was listed.
    case changedDuringWalk(path: String)
    /// A directory contains itself, which only a user-space file system can report.
    case containsItself(path: String)
    /// A system call failed, often because a directory or file may not be read.
    case system(Errno, path: String)
}

extension WalkError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .changedDuringWalk(let path): "“\(path)” changed while the folder was being read"
        case .containsItself(let path): "the folder “\(path)” contains itself"
        case .system(let error, let path): "“\(path)”: \(error)"
        }
    }
}
