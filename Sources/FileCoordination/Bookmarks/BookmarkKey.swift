import CAuthentication
import Foundation
import Glibc
import LinuxSystem

/// The secret with which a user's bookmarks are authenticated: 32 random bytes in the file `bookmark.key` of the data
/// directory. Only the user may read the file. A process that can read it can read the user's other files, too, and
/// does not need a bookmark.
package struct BookmarkKey: Sendable {
    private static let length = 32
    private static let fileName = "bookmark.key"
    private let bytes: [UInt8]

    /// The error for a key file that cannot be trusted.
    package struct KeyError: Error, CustomStringConvertible {
        package let description: String
    }

    /// Reads the key in the given data directory, or creates a key if none exists. Blocks on the file system.
    ///
    /// Several processes may create the key at once. It is published atomically, so that all processes get the same
    /// key.
    ///
    /// - Throws: ``KeyError`` for a key file that another user owns or can read; `Errno` if the directory cannot be
    ///   used.
    package init(data: String) throws {
        let path = data + "/" + Self.fileName
        do {
            bytes = try Self.read(path)
            return
        } catch let error as Errno where error == .noSuchFile {
            try DataFolder.make(data)
        }
        try Self.publish(in: FileDescriptor.open(data, [.readOnly, .directory]))
        bytes = try Self.read(path)
    }

    private static func publish(in folder: FileDescriptor) throws(Errno) {
        var staged = try StagedFile(in: folder)
        let file = staged.descriptor
        var random = SystemRandomNumberGenerator()
        var key = (0..<length).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        let count = try retrying { pwrite(file.rawValue, &key, key.count, 0) }
        guard count == key.count else { throw .noSpace }
        // If a crash of the machine emptied the key, all bookmarks would be worthless.
        try file.synchronize()
        guard let name = FileName(fileName) else { return }
        do throws(Errno) {
            try staged.publish(as: name)
        } catch {
            // Another process was faster.
            guard error == .fileExists else { throw error }
        }
    }

    private static func read(_ path: String) throws -> [UInt8] {
        let file = try FileDescriptor.open(path, [.readOnly, .noFollow, .nonBlocking])
        let status = try file.status()
        guard status.kind == .regular, status.owner == geteuid(), status.permissions & 0o077 == 0 else {
            throw KeyError(description: "\(path) has to be a file that only its owner, this user, may read")
        }
        let bytes = try file.readToEnd(limit: length + 1)
        guard bytes.count == length else { throw KeyError(description: "\(path) is not a key of \(length) bytes") }
        return bytes
    }

    /// Returns the authentication code of the given bytes.
    func code(of message: some Collection<UInt8>) -> [UInt8] {
        let message = Array(message)
        var code = [UInt8](repeating: 0, count: Int(CAUTHENTICATION_LENGTH))
        cauthentication_code(bytes, bytes.count, message, message.count, &code)
        return code
    }
}
