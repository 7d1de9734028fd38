import Foundation
import Glibc
import LinuxSystem

extension FileWrapper {
    func writeWhole(to url: URL, _ options: WritingOptions, original originalContentsURL: URL?) throws {
        guard url.isFileURL, let name = FileName(url.path.lastPathName) else {
            throw CocoaError(.fileWriteInvalidFileName, userInfo: [NSFilePathErrorKey: url.path])
        }
        let path = url.path
        do {
            let folder = try FileDescriptor.open(url.deletingLastPathComponent().path, [.readOnly, .directory])
            let stage = try StagedTree(in: folder)
            try write(
                into: stage.descriptor, as: name, isSynchronized: options.contains(.atomic),
                original: originalContentsURL, depth: 0)
            try stage.descriptor.move(name, into: folder, as: name)
            if options.contains(.atomic) { try folder.synchronize() }
        } catch let error as Errno {
            throw CocoaError(writing: error, path: path)
        }
        if options.contains(.withNameUpdating) { updateNames(url.path.lastPathName) }
        updateStamps(url)
    }

    private func write(
        into folder: FileDescriptor, as name: FileName, isSynchronized: Bool, original: URL?, depth: Int
    ) throws {
        try FileWrapperDepth.check(depth, .fileWriteUnknown, path: filename ?? preferredFilename ?? "\(name)")
        switch contents {
        case .file(let data):
            try write(data, into: folder, as: name, isSynchronized: isSynchronized)
        case .unreadFile(let url, _):
            let data = regularFileContents ?? original.flatMap { try? Data(contentsOf: $0) }
            guard let data else { throw CocoaError(.fileReadUnknown, userInfo: [NSFilePathErrorKey: url.path]) }
            try write(data, into: folder, as: name, isSynchronized: isSynchronized)
        case .link(let url):
            try folder.makeLink(name, target: Array(url.relativePath.utf8))
        case .directory, .unreadDirectory:
            guard let children = fileWrappers else {
                throw CocoaError(.fileReadNoSuchFile, userInfo: [NSFilePathErrorKey: filename ?? ""])
            }
            try folder.makeDirectory(name, permissions: 0o700)
            let directory = try folder.open(entry: name, [.readOnly, .directory])
            for (key, child) in children {
                guard let childName = FileName(key) else { throw CocoaError(.fileWriteInvalidFileName) }
                try child.write(
                    into: directory, as: childName, isSynchronized: isSynchronized,
                    original: original?.appendingPathComponent(key), depth: depth + 1)
            }
            fchmod(directory.rawValue, permissions ?? 0o755)
            if isSynchronized { try directory.synchronize() }
        }
    }

    private func write(
        _ data: Data, into folder: FileDescriptor, as name: FileName, isSynchronized: Bool
    ) throws {
        let file = try folder.createFile(name, permissions: 0o600)
        try data.withUnsafeBytes { bytes in try file.writeAll(bytes) }
        fchmod(file.rawValue, permissions ?? 0o644)
        if let date = fileAttributes[FileAttributeKey.modificationDate.rawValue] as? Date, let time = timespec(date) {
            futimens(file.rawValue, [time, time])
        }
        if isSynchronized { try file.synchronize() }
    }

    private var permissions: mode_t? {
        (fileAttributes[FileAttributeKey.posixPermissions.rawValue] as? NSNumber).map { mode_t($0.uint32Value & 0o777) }
    }

    private func updateNames(_ name: String) {
        filename = name
        guard case .directory(let children) = contents else { return }
        for (key, child) in children { child.updateNames(key) }
    }

    /// Records the state of the files that were written. From now on, ``matchesContents(of:)`` compares with this
    /// state.
    private func updateStamps(_ url: URL) {
        stamp = (try? Self.status(of: url)).map(FileStamp.init)
        guard case .directory(let children) = contents else { return }
        for (key, child) in children { child.updateStamps(url.appendingPathComponent(key)) }
    }
}

extension timespec {
    /// Creates the file time for a date; `nil` for a date that no file can have, such as an infinite one.
    fileprivate init?(_ date: Date) {
        let seconds = date.timeIntervalSince1970.rounded(.down)
        guard let whole = Int(exactly: seconds) else { return nil }
        self.init(tv_sec: whole, tv_nsec: Int((date.timeIntervalSince1970 - seconds) * 1e9))
    }
}

extension CocoaError {
    fileprivate init(writing error: Errno, path: String) {
        let code: CocoaError.Code =
            switch error {
            case .noSuchFile, .notDirectory: .fileNoSuchFile
            case .permissionDenied, .notPermitted: .fileWriteNoPermission
            case .noSpace, .quotaExceeded: .fileWriteOutOfSpace
            case .nameTooLong: .fileWriteInvalidFileName
            default: .fileWriteUnknown
            }
        let cause = NSError(
            domain: NSPOSIXErrorDomain, code: Int(error.rawValue),
            userInfo: [NSLocalizedDescriptionKey: error.description])
        self.init(code, userInfo: [NSFilePathErrorKey: path, NSUnderlyingErrorKey: cause])
    }
}
