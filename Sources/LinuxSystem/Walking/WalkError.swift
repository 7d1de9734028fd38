/// Why a walk through a tree ended early. Paths are relative to the walk's root.
package enum WalkError: Error, Equatable {
    /// An entry vanished, changed its kind, or was added after its directory had been listed.
    case changedDuringWalk(path: String)
    /// A directory that contains itself, which only a file system served by a program can show.
    case containsItself(path: String)
    /// The system refused something: often a directory or file that may not be read.
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
