import FileProvider

/// Permissions, as far as a provider says something of them.
extension IndexedItem {
    /// `NSFileProviderItemCapabilities.allowsWriting`, which for folders is `allowsAddingSubItems`.
    private static let writingCapability: UInt = 1 << 1
    /// `NSFileProviderFileSystemFlags.userExecutable` and `.userWritable`.
    private static let executableFlag: UInt = 1 << 0
    private static let writableFlag: UInt = 1 << 2

    /// Whether its contents, or what a folder holds, may be changed, as the provider says.
    package var allowsWriting: Bool {
        hasWritingCapability && item.fileSystemFlags.map { $0 & Self.writableFlag != 0 } ?? true
    }

    /// Whether the mode that was set here lets its owner write, of what a provider may be told to permit.
    package var isSetToBeWritable: Bool { hasWritingCapability && mode.map { $0 & 0o200 != 0 } ?? false }

    private var hasWritingCapability: Bool { item.capabilities & Self.writingCapability != 0 }

    private var isExecutable: Bool {
        item.fileSystemFlags.map { $0 & Self.executableFlag != 0 } ?? false
    }

    /// The permission bits where none were set here.
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
