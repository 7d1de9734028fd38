import ItemValues

/// Permissions as the provider reports them.
extension IndexedItem {
    /// `NSFileProviderItemCapabilities.allowsWriting`, which for directories is `allowsAddingSubItems`.
    private static let writingCapability: UInt = 1 << 1
    /// `NSFileProviderFileSystemFlags.userExecutable` and `.userWritable`.
    private static let executableFlag: UInt = 1 << 0
    private static let writableFlag: UInt = 1 << 2

    /// Whether the provider permits changes of the file's contents, or of the directory's items.
    package var allowsWriting: Bool {
        hasWritingCapability && item.fileSystemFlags.map { $0 & Self.writableFlag != 0 } ?? true
    }

    /// Whether the local mode lets the owner write and the provider allows this, so that the permission may be sent.
    package var isSetToBeWritable: Bool { hasWritingCapability && mode.map { $0 & 0o200 != 0 } ?? false }

    private var hasWritingCapability: Bool { item.capabilities & Self.writingCapability != 0 }

    private var isExecutable: Bool {
        item.fileSystemFlags.map { $0 & Self.executableFlag != 0 } ?? false
    }

    /// The permission bits to use if none were set locally.
    package var givenMode: UInt16 {
        let standard: UInt16 =
            switch item.kind {
            case .folder: 0o755
            case .file: isExecutable ? 0o755 : 0o644
            case .symbolicLink: 0o777
            }
        return allowsWriting || item.kind == .symbolicLink ? standard : standard & ~0o222
    }
}
