import Foundation
import Glibc

extension UTType {
    /// Determines the type of a file by its contents, regardless of its name. An addition to Apple's interface.
    ///
    /// The first bytes are compared with the magic numbers of the freedesktop database. A file that matches none is
    /// `public.plain-text` or `public.data`. An item other than a regular file has the type of its kind. A directory
    /// has the directory type that is declared for its extension, such as that of a package, or else `public.folder`.
    /// A symbolic link is not followed, and is `public.symlink`. Blocks while it reads.
    ///
    /// - Throws: `CocoaError` with the path and the system's error: `fileReadNoSuchFile`, `fileReadNoPermission`,
    ///   `fileReadInvalidFileName` or `fileReadUnknown`. For a URL that is not a file URL, `CocoaError` with the URL:
    ///   `fileReadUnsupportedScheme`.
    public init(contentsOf url: URL) throws {
        let path = try url.pathOfFile
        switch try UTType.kind(ofItemAt: path) {
        case .other(let type): self = type
        case .regular:
            let bytes: [UInt8]
            do throws(FileContents.FileContentsError) {
                bytes = try FileContents.read(path, atMost: FileTypes.contentLength)
            } catch {
                throw CocoaError(reading: path, errno: error.code)
            }
            self = bytes.withUnsafeBytes { UTType.type(ofContent: $0) }
        }
    }

    /// Returns the type of the item at a path, as `URLResourceValues.contentType` does: for a file the type of its
    /// extension, for any other item the type of its kind. An unknown extension results in a dynamic type. If a file
    /// has no extension, or one with several meanings, the content decides. Blocks while it reads.
    ///
    /// - Throws: `CocoaError` if there is no such item. A file that cannot be read has the type of its name.
    package static func contentType(ofItemAt path: String) throws -> UTType {
        try type(ofItemAt: path, unknownExtensionCounts: true)
    }

    /// Returns the best guess at the type of the item at a path: as ``contentType(ofItemAt:)``, but content of a
    /// known format, or plain text, takes precedence over an unknown extension.
    ///
    /// - Throws: `CocoaError` if there is no such item. A file that cannot be read has the type of its name.
    package static func type(ofItemAt path: String) throws -> UTType {
        try type(ofItemAt: path, unknownExtensionCounts: false)
    }

    private static func type(ofItemAt path: String, unknownExtensionCounts: Bool) throws -> UTType {
        switch try kind(ofItemAt: path) {
        case .other(let type): return type
        case .regular(let isExecutable):
            let type = FileTypes.withCurrent { types in
                types.type(ofName: path, unknownExtensionCounts: unknownExtensionCounts) {
                    try? FileContents.read(path, atMost: FileTypes.contentLength)
                }
            }
            return type == .data && isExecutable ? .unixExecutable : type
        }
    }

    /// The kind of an item in the file system.
    private enum Kind {
        case regular(isExecutable: Bool)
        /// An item whose type is known without its bytes.
        case other(UTType)
    }

    private static func kind(ofItemAt path: String) throws -> Kind {
        var status = stat()
        guard lstat(path, &status) == 0 else { throw CocoaError(reading: path, errno: errno) }
        return switch status.st_mode & S_IFMT {
        case S_IFREG: .regular(isExecutable: status.st_mode & 0o111 != 0)
        case S_IFDIR: .other(type(ofDirectoryNamed: PathText.last(of: path)))
        case S_IFLNK: .other(.symbolicLink)
        case S_IFIFO: .other(declared("public.named-pipe"))
        case S_IFSOCK: .other(declared("public.socket"))
        case S_IFCHR: .other(declared("public.character-special"))
        case S_IFBLK: .other(declared("public.block-special"))
        default: .other(.item)
        }
    }

    /// Returns the type of a directory: a package or another kind of directory that is declared for its extension,
    /// else a folder.
    package static func type(ofDirectoryNamed name: some StringProtocol) -> UTType {
        guard let fileExtension = PathText.pathExtension(of: name) else { return .folder }
        return TypeRegistry.withCurrent { snapshot in
            snapshot.firstType(withTag: fileExtension, of: .filenameExtension, conformingTo: .directory)
        } ?? .folder
    }

    private static func declared(_ identifier: String) -> UTType {
        UTType(known: identifier) ?? .item
    }
}

extension URL {
    /// The path of a file URL.
    fileprivate var pathOfFile: String {
        get throws {
            guard isFileURL else { throw CocoaError(.fileReadUnsupportedScheme, userInfo: [NSURLErrorKey: self]) }
            return path
        }
    }
}

extension CocoaError {
    /// Creates the error of reading a file from an error number of the system.
    init(reading path: String, errno code: Int32) {
        let kind: CocoaError.Code =
            switch code {
            case ENOENT, ENOTDIR: .fileReadNoSuchFile
            case EACCES, EPERM: .fileReadNoPermission
            case ENAMETOOLONG, EINVAL: .fileReadInvalidFileName
            default: .fileReadUnknown
            }
        self.init(
            kind,
            userInfo: [
                NSFilePathErrorKey: path, NSUnderlyingErrorKey: NSError(domain: NSPOSIXErrorDomain, code: Int(code)),
            ])
    }
}
