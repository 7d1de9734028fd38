import Foundation
import LinuxSystem

/// The result of a load handler, before it is converted to the requested form.
///
/// It contains bytes or open descriptors, and not only a path. Therefore it stays valid when the provider deletes its
/// file, and can be sent to another process.
package enum Supply: Sendable {
    /// Bytes in this process's memory.
    case bytes(Data)
    /// Bytes in a sealed memory file, as they arrive from another process.
    case memory(FileDescriptor, size: Int)
    /// An open regular file or directory.
    case file(SuppliedFile)
}

/// A file or directory of a provider, held open.
package struct SuppliedFile: Sendable {
    /// A descriptor that is open for reading, of a regular file or a directory.
    package let descriptor: FileDescriptor
    package let isDirectory: Bool
    /// The path according to the provider. The path is not trusted: it is used only after a comparison of its inode
    /// with the descriptor's.
    package let path: String?
    /// The file's own name, without directories.
    package let name: String?
    /// Whether the provider allows the consumer to use the original.
    package let isOfferedInPlace: Bool
    /// Whether the provider asks for file coordination when the file is read.
    package let isCoordinated: Bool
    /// The lease that prevents another process from deleting a directory while it is copied.
    package let lease: FolderLease?
    /// The temporary directory of a file that was written for this load alone.
    let folder: LoadFolder?
    /// The side that chose the file: this process, or another one.
    package let origin: CopyOrigin

    package init(
        descriptor: FileDescriptor, isDirectory: Bool, path: String?, name: String?, isOfferedInPlace: Bool,
        isCoordinated: Bool, lease: FolderLease? = nil, folder: LoadFolder? = nil, origin: CopyOrigin = .peer
    ) {
        self.descriptor = descriptor
        self.isDirectory = isDirectory
        self.path = path
        self.name = name
        self.isOfferedInPlace = isOfferedInPlace
        self.isCoordinated = isCoordinated
        self.lease = lease
        self.folder = folder
        self.origin = origin
    }

    /// Returns the same file together with its temporary directory, which is removed when the value is released.
    func keeping(_ folder: LoadFolder) -> SuppliedFile {
        SuppliedFile(
            descriptor: descriptor, isDirectory: isDirectory, path: path, name: name,
            isOfferedInPlace: isOfferedInPlace, isCoordinated: isCoordinated, lease: lease, folder: folder,
            origin: origin)
    }

    /// The same file without the lease, so that its directory may be deleted at any time.
    package var withoutLease: SuppliedFile {
        SuppliedFile(
            descriptor: descriptor, isDirectory: isDirectory, path: path, name: name,
            isOfferedInPlace: isOfferedInPlace, isCoordinated: isCoordinated, folder: folder, origin: origin)
    }

    /// Opens the file that a load handler named.
    ///
    /// - Throws: an error in `NSItemProvider.errorDomain` that says what is wrong with the file.
    package init(url: URL, isOfferedInPlace: Bool, isCoordinated: Bool) throws {
        guard url.isFileURL else {
            throw ItemProviderError.unusableFile("A file representation needs a file URL, not \(url.absoluteString)")
        }
        let path = url.path
        let descriptor: FileDescriptor
        let status: FileStatus
        do {
            // Without O_NONBLOCK, opening a FIFO would wait for a writer for ever.
            descriptor = try .open(path, [.readOnly, .nonBlocking])
            status = try descriptor.status()
        } catch {
            throw ItemProviderError.unusableFile(
                "The promised file \(path) cannot be opened: \(error)", underlying: CocoaError(error, path: path))
        }
        guard status.kind == .regular || status.kind == .directory else {
            throw ItemProviderError.unusableFile("\(path) is neither a regular file nor a directory")
        }
        self.init(
            descriptor: descriptor, isDirectory: status.kind == .directory, path: path, name: url.path.lastPathName,
            isOfferedInPlace: isOfferedInPlace, isCoordinated: isCoordinated, origin: .user)
    }
}

extension CocoaError {
    /// Creates the Cocoa error that corresponds to an error number, with the path of the file.
    ///
    /// - Parameter description: a sentence for the user; `nil` is Foundation's own.
    package init(_ errno: Errno, path: String?, description: String? = nil) {
        let code: CocoaError.Code =
            switch errno {
            case .noSuchFile, .notDirectory: .fileReadNoSuchFile
            case .permissionDenied, .notPermitted: .fileReadNoPermission
            case .noSpace, .quotaExceeded: .fileWriteOutOfSpace
            case .nameTooLong: .fileReadInvalidFileName
            default: .fileReadUnknown
            }
        let cause = NSError(
            domain: NSPOSIXErrorDomain, code: Int(errno.rawValue),
            userInfo: [NSLocalizedDescriptionKey: errno.description])
        var userInfo: [String: Any] = [NSUnderlyingErrorKey: cause]
        if let path { userInfo[NSFilePathErrorKey] = path }
        if let description { userInfo[NSLocalizedDescriptionKey] = description }
        self.init(code, userInfo: userInfo)
    }
}
