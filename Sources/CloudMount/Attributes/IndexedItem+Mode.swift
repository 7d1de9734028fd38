import FileProvider
import FileProviderEngine
import Glibc

extension IndexedItem {
    /// `NSFileProviderItemCapabilities.allowsWriting`, which for folders is `allowsAddingSubItems`.
    private static let writingCapability: UInt = 1 << 1
    /// `NSFileProviderFileSystemFlags.userExecutable` and `.userWritable`.
    private static let executableFlag: UInt = 1 << 0
    private static let writableFlag: UInt = 1 << 2

    /// Whether its contents, or what a folder holds, may be changed.
    var allowsWriting: Bool {
        guard item.capabilities & Self.writingCapability != 0 else { return false }
        return item.fileSystemFlags.map { $0 & Self.writableFlag != 0 } ?? true
    }

    private var isExecutable: Bool {
        item.fileSystemFlags.map { $0 & Self.executableFlag != 0 } ?? false
    }

    /// The kind and the permissions, in the form of `st_mode`.
    var fullMode: UInt32 {
        switch item.kind {
        case .folder: UInt32(S_IFDIR) | permissions(standard: 0o755)
        case .file: UInt32(S_IFREG) | permissions(standard: isExecutable ? 0o755 : 0o644)
        case .symbolicLink: UInt32(S_IFLNK) | 0o777
        }
    }

    private func permissions(standard: UInt32) -> UInt32 {
        if let mode { return UInt32(mode) & 0o7777 }
        return allowsWriting ? standard : standard & ~0o222
    }

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
