import Foundation
import Glibc
import LinuxSystem

/// A provider that only reads the files with new contents that the system hands to it, and opens them with
/// ``FileProviderContents/open(_:)``. The system then hands over its own file. For other providers it makes a copy,
/// which takes as long as to write the whole file.
///
/// Source: an addition. Apple's providers may do with such a file what they like.
public protocol FileProviderReadingContents: NSObjectProtocol {}

/// The files with new contents, which `createItem` and `modifyItem` receive as URLs.
public enum FileProviderContents {
    // Leaf lock.
    private static let handed = Lock<[String: FileDescriptor]>([:])

    /// Opens a file with new contents for reading. It can be read for as long as it is open, also after the reply.
    ///
    /// - Parameter url: a URL that the system has passed. Any other file URL is opened as well.
    /// - Returns: a handle at the beginning of the file. Handles of the same file share their position.
    public static func open(_ url: URL) throws -> FileHandle {
        guard let file = handed.withLock({ $0[url.path] }) else { return try FileHandle(forReadingFrom: url) }
        return try withExtendedLifetime(file) {
            let copy = try retrying { fcntl(file.rawValue, F_DUPFD_CLOEXEC, 0) }
            lseek(copy, 0, SEEK_SET)
            return FileHandle(fileDescriptor: copy, closeOnDealloc: true)
        }
    }

    /// Makes a file available to ``open(_:)`` under a path at which no file exists.
    static func hand(_ file: FileDescriptor, at path: String) { handed.withLock { $0[path] = file } }

    /// Ends the availability of a file. Handles that are open stay valid.
    static func takeBack(_ path: String) { _ = handed.withLock { $0.removeValue(forKey: path) } }
}
