import FileProvider
import FileProviderEngine
import Glibc

extension IndexedItem {
    /// The kind and the permissions, in the form of `st_mode`.
    var fullMode: UInt32 {
        switch item.kind {
        case .folder: UInt32(S_IFDIR) | permissions
        case .file: UInt32(S_IFREG) | permissions
        case .symbolicLink: UInt32(S_IFLNK) | 0o777
        }
    }

    private var permissions: UInt32 { UInt32(mode.map { $0 & 0o7777 } ?? givenMode) }

    /// Bytes, as far as they are known without fetching the file.
    var knownSize: Int64? {
        switch item.kind {
        case .folder: return 0
        case .symbolicLink: return item.linkTarget.map { Int64($0.utf8.count) } ?? 0
        case .file: return hasAllBytes ? localSize : item.size.map { max(0, $0) }
        }
    }

    /// Bytes that are on this machine.
    var sizeHere: Int64 {
        content == .dataless ? 0 : localSize
    }

    /// When it was changed last; seconds since 1970.
    var modifiedSeconds: Double { localModified ?? item.modified ?? item.created ?? 0 }

    /// When anything of it was changed last, if its contents were at a moment.
    func changedSeconds(modified: Double) -> Double { max(modified, localChanged ?? modified) }
}
