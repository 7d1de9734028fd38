import FileProvider
import Foundation
import HTTPTransport
import LinuxSystem

/// The contents of a file to send to the server.
struct OutgoingFile: Sendable {
    let file: FileDescriptor
    let count: Int
    let modified: HTTPDate?
    /// A name that is the same for each attempt to upload these contents.
    let token: String

    /// Opens a file. Blocks.
    init(_ url: URL, modified: HTTPDate?, for identifier: String) throws {
        let handle = try FileProviderContents.open(url)
        file = try withExtendedLifetime(handle) { try FileDescriptor.copy(of: handle.fileDescriptor) }
        count = Int(try file.status().size)
        self.modified = modified
        token = "\(identifier) \(count) \(try Self.digest(file, count))"
    }

    /// Returns a digest of the beginning and the end of the contents. A digest of large contents would take too long.
    private static func digest(_ file: FileDescriptor, _ count: Int) throws(Errno) -> String {
        var digest = Digest()
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
        defer { buffer.deallocate() }
        for start in [0, max(0, count - buffer.count)] {
            let read = try file.read(into: buffer, at: start)
            digest.add(buffer[..<read])
        }
        return String(digest.value, radix: 36)
    }
}

extension HTTPDate {
    /// Creates a date from one with fractions of a second, which are dropped.
    init(_ date: Date) { self.init(seconds: Int64(date.timeIntervalSince1970.rounded(.down))) }
}
