import LinuxSystem

/// An error of an operation on the served directory.
package enum FolderError: Error, CustomStringConvertible {
    /// The item does not exist any more, or never did.
    case noSuchItem
    /// The name is taken by this item.
    case taken(CatalogueItem)
    /// The served directory is not in its place, such as when its disk is not mounted.
    case unavailable(String)
    /// A name that no file can have.
    case badName(String)
    /// The item is not of the kind that the call is for, a directory or a file.
    case wrongKind
    /// A file kept changing while it was copied.
    case busy
    /// The file that was to be replaced has changed.
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
