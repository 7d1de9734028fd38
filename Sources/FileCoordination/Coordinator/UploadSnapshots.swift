import Foundation
import Glibc
import LinuxSystem
import ZipArchive

/// Copies of those items of a claim that are read for uploading. The copies are removed when this object is
/// deallocated. A file is copied; a directory becomes a zip archive with the directory as its only top-level entry.
final class UploadSnapshots: Sendable {
    /// The URLs of all items of the claim. For copied items, they are the URLs of the copies.
    let urls: [URL]
    private let folder: String

    /// Copies the items that are read for uploading. Blocks until all are copied.
    ///
    /// - Parameter accesses: The claimed paths. The items at these paths are copied, even if a symbolic link in a URL
    ///   has changed since the claim.
    /// - Throws: `CocoaError`.
    init(_ items: [ClaimedItem], _ urls: [URL], _ accesses: [Access]) throws {
        var template = Array((NSTemporaryDirectory() + "/purvey-upload-XXXXXX").utf8CString)
        guard let made = mkdtemp(&template).map({ String(cString: $0) }) else {
            throw CocoaError(Errno.current, path: NSTemporaryDirectory())
        }
        folder = made
        do {
            self.urls = try zip(items, zip(urls, accesses)).enumerated().map { number, pair in
                let (item, (url, access)) = pair
                guard item.isForUploading else { return url }
                return try Self.copy(access.path.string, named: url.path.lastPathName, into: "\(made)/\(number)")
            }
        } catch {
            try? FileManager.default.removeItem(atPath: made)
            throw error
        }
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private static func copy(_ path: String, named name: String, into folder: String) throws -> URL {
        do {
            // Without O_NONBLOCK, opening a FIFO would wait for a writer for ever.
            let source = try FileDescriptor.open(path, [.readOnly, .nonBlocking])
            guard mkdir(folder, 0o700) == 0 else { throw Errno.current }
            let directory = try FileDescriptor.open(folder, [.readOnly, .directory])
            guard try source.status().kind == .directory else {
                try FileCopier.copy(source, into: directory, named: name)
                return URL(fileURLWithPath: "\(folder)/\(name)", isDirectory: false)
            }
            let archive = try directory.open("\(name).zip", [.readWrite, .create, .exclusive])
            try ZipArchiver.archive(directory: source, named: name, to: archive)
            return URL(fileURLWithPath: "\(folder)/\(name).zip", isDirectory: false)
        } catch let error as Errno {
            throw CocoaError(error, path: path)
        } catch CopyError.noSpace, ZipError.noSpace {
            throw CocoaError(.noSpace, path: path)
        } catch CopyError.system(let error, _) {
            throw CocoaError(error, path: path)
        } catch ZipError.system(let error, _) {
            throw CocoaError(error, path: path)
        } catch {
            throw CocoaError(
                .fileReadUnknown, userInfo: [NSFilePathErrorKey: path, NSLocalizedDescriptionKey: "\(error)"])
        }
    }
}

extension CocoaError {
    /// Creates the Cocoa error that corresponds to an error number, with the path of the file.
    fileprivate init(_ errno: Errno, path: String) {
        let code: CocoaError.Code =
            switch errno {
            case .noSuchFile, .notDirectory: .fileReadNoSuchFile
            case .permissionDenied, .notPermitted: .fileReadNoPermission
            case .noSpace, .quotaExceeded: .fileWriteOutOfSpace
            default: .fileReadUnknown
            }
        let cause = NSError(
            domain: NSPOSIXErrorDomain, code: Int(errno.rawValue),
            userInfo: [NSLocalizedDescriptionKey: errno.description])
        self.init(code, userInfo: [NSFilePathErrorKey: path, NSUnderlyingErrorKey: cause])
    }
}
