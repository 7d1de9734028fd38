import LinuxSystem
import SQLite

/// An error of an operation on the served directory.
package enum FolderError: Error, CustomStringConvertible {
    /// The item does not exist any more, or never existed.
    case noSuchItem
    /// Another item already has the name. The associated value is that item.
    case taken(CatalogueItem)
    /// The served directory is not at its path, for example because the directory's disk is not mounted.
    case unavailable(String)
    /// The name is invalid for a file.
    case badName(String)
    /// The item has the wrong kind for the call, which expects a directory or a file.
    case wrongKind
    /// The file changed repeatedly while it was copied.
    case busy
    /// The file to be replaced has changed.
    case outdated
    /// The catalogue's own database failed.
    case catalogue(String)
    case system(Errno)

    package var description: String {
        switch self {
        case .noSuchItem: "the item is there no more"
        case .taken(let item): "there is an item \"\(item.filename)\" already"
        case .unavailable(let reason): reason
        case .badName(let name): "\"\(name)\" cannot be the name of a file"
        case .wrongKind: "the item is of another kind"
        case .busy: "the file changes all the time"
        case .outdated: "the file has changed"
        case .catalogue(let reason): "the catalogue of the folder cannot be used: \(reason)"
        case .system(let error): error.description
        }
    }

    init(_ error: any Error) {
        switch error {
        case let failure as FolderError: self = failure
        case let error as Errno where error == .noSuchFile || error == .notDirectory: self = .noSuchItem
        case let error as Errno: self = .system(error)
        case let failure as Database.Failure where failure.isFull: self = .system(.noSpace)
        case CopyError.changedDuringCopy: self = .busy
        case CopyError.noSpace: self = .system(.noSpace)
        default: self = .catalogue("\(error)")
        }
    }
}
