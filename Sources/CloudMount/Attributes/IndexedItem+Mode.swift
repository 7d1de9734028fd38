import FileProvider
import FileProviderEngine
import Glibc
import ItemStore
import ItemValues

extension IndexedItem {
    /// The file type and permissions, in the form of `st_mode`.
    var fullMode: UInt32 {
        switch item.kind {
        case .folder: UInt32(S_IFDIR) | permissions
        case .file: UInt32(S_IFREG) | permissions
        case .symbolicLink: UInt32(S_IFLNK) | 0o777
        }
    }

    private var permissions: UInt32 { UInt32(mode.map { $0 & 0o7777 } ?? givenMode) }

    /// The size in bytes; `nil` if it is only known after the file is fetched.
    var knownSize: Int64? {
        switch item.kind {
        case .folder: return 0
        case .symbolicLink: return item.linkTarget.map { Int64($0.utf8.count) } ?? 0
        case .file: return hasAllBytes ? localSize : item.size.map { max(0, $0) }
        }
    }

    /// The number of local bytes.
    var sizeHere: Int64 {
        content == .dataless ? 0 : localSize
    }

    /// The modification date, in seconds since 1970.
    var modifiedSeconds: Double { localModified ?? item.modified ?? item.created ?? 0 }

    /// Returns the date of the last change of contents or attributes, in seconds since 1970.
    ///
    /// - Parameter modified: The modification date of the contents.
    func changedSeconds(modified: Double) -> Double { max(modified, localChanged ?? modified) }
}
