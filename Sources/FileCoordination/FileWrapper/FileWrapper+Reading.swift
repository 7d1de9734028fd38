import Foundation
import LinuxSystem

/// The attributes of a file that show whether it has changed since they were read.
struct FileStamp: Equatable {
    let identity: FileStatus.Identity
    let size: Int
    let modified: Date

    init(_ status: FileStatus) {
        identity = status.identity
        size = status.size
        modified = Date(status.modified)
    }
}

extension Date {
    init(_ time: timespec) {
        self.init(timeIntervalSince1970: Double(time.tv_sec) + Double(time.tv_nsec) / 1e9)
    }
}

extension FileWrapper {
    func load(_ url: URL, _ options: ReadingOptions, depth: Int) throws {
        try FileWrapperDepth.check(depth, .fileReadUnknown, path: url.path)
        let status = try Self.status(of: url)
        let loaded: Contents
        switch status.kind {
        case .regular:
            loaded =
                options.contains(.immediate)
                ? .file(try read(fileAt: url, options, expecting: FileStamp(status))) : .unreadFile(url, options)
        case .directory:
            loaded =
                options.contains(.immediate)
                ? .directory(try read(directoryAt: url, options, depth: depth)) : .unreadDirectory(url, options)
        case .symbolicLink:
            let target = try FileManager.default.destinationOfSymbolicLink(atPath: url.path)
            loaded = .link(URL(fileURLWithPath: target, relativeTo: url.deletingLastPathComponent()))
        default:
            throw CocoaError(.fileReadUnsupportedScheme, userInfo: [NSFilePathErrorKey: url.path])
        }
        contents = loaded
        stamp = FileStamp(status)
        filename = url.path.lastPathName
        if preferredFilename == nil { preferredFilename = url.path.lastPathName }
        fileAttributes = Self.attributes(status)
    }

    func matches(_ url: URL, depth: Int) -> Bool {
        guard depth <= FileWrapperDepth.limit, let status = try? Self.status(of: url) else { return false }
        switch (contents, status.kind) {
        case (.file, .regular), (.unreadFile, .regular):
            return stamp == FileStamp(status)
        case (.link(let destination), .symbolicLink):
            return (try? FileManager.default.destinationOfSymbolicLink(atPath: url.path)) == destination.relativePath
        case (.directory, .directory), (.unreadDirectory, .directory):
            guard let children = fileWrappers,
                let names = try? FileManager.default.contentsOfDirectory(atPath: url.path),
                Set(names.filter { Self.isInDocument(url.appendingPathComponent($0)) }) == Set(children.keys)
            else { return false }
            return children.allSatisfy { $0.value.matches(url.appendingPathComponent($0.key), depth: depth + 1) }
        default:
            return false
        }
    }

    /// Whether an item of a directory is part of a document. Sockets, pipes and devices are not.
    private static func isInDocument(_ url: URL) -> Bool {
        switch try? status(of: url).kind {
        case .regular, .directory, .symbolicLink, nil: true
        default: false
        }
    }

    func read(fileAt url: URL, _ options: ReadingOptions, expecting expected: FileStamp? = nil) throws -> Data {
        // If another process truncates a mapped file, reading it crashes this process. So files are never mapped
        // here.
        let data = try Data(contentsOf: url)
        if let stamp = expected ?? stamp, FileStamp(try Self.status(of: url)) != stamp {
            throw CocoaError(.fileReadUnknown, userInfo: [NSFilePathErrorKey: url.path])
        }
        return data
    }

    func read(directoryAt url: URL, _ options: ReadingOptions, depth: Int) throws -> [String: FileWrapper] {
        var children: [String: FileWrapper] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: url.path) {
            let place = url.appendingPathComponent(name)
            // Two names that differ only in their Unicode normal form are one key, so one of the files would be lost.
            guard children[name] == nil else {
                throw CocoaError(.fileReadInvalidFileName, userInfo: [NSFilePathErrorKey: place.path])
            }
            do {
                children[name] = try FileWrapper(url: place, options: options, depth: depth + 1)
            } catch CocoaError.fileReadUnsupportedScheme {
                // Sockets, pipes and devices are not part of a document.
                continue
            }
        }
        return children
    }

    static func status(of url: URL) throws -> FileStatus {
        guard url.isFileURL else { throw CocoaError(.fileReadUnsupportedScheme) }
        do throws(Errno) {
            return try FileStatus.of(url.path, followingLinks: false)
        } catch {
            let code: CocoaError.Code = error == .noSuchFile ? .fileReadNoSuchFile : .fileReadNoPermission
            throw CocoaError(code, userInfo: [NSFilePathErrorKey: url.path])
        }
    }

    static func attributes(_ status: FileStatus) -> [String: Any] {
        let kind: FileAttributeType =
            switch status.kind {
            case .directory: .typeDirectory
            case .symbolicLink: .typeSymbolicLink
            default: .typeRegular
            }
        return [
            FileAttributeKey.type.rawValue: kind,
            FileAttributeKey.size.rawValue: NSNumber(value: status.size),
            FileAttributeKey.posixPermissions.rawValue: NSNumber(value: status.permissions),
            FileAttributeKey.modificationDate.rawValue: Date(status.modified),
        ]
    }
}
