import Foundation
import Glibc
import LinuxSystem

/// The log of one extension: what its processes print and log, and how they end. It is a file of the user's, and the one before it.
///
/// The process that starts the extension writes it.
package struct ExtensionLog: Sendable {
    /// The file that is written.
    package let path: String
    /// The one before it, once there was more than fits into one.
    package var olderPath: String { path + ".1" }

    private let folder: String

    /// Bytes of a file at which the next begins.
    private static let largest = 1 << 20
    /// Held while a file gives way to the next. Innermost.
    private static let turn = Lock(())

    /// - Parameter data: the folder of what Purvey keeps for this user.
    package init(of identifier: String, data: String) {
        folder = data + "/logs"
        path = folder + "/" + identifier + ".log"
    }

    /// Adds lines, each with the time and the number of the process. Blocks on the file system. Lines that cannot be written, because the
    /// disk is full, are dropped: an extension does not end for that.
    func write(_ lines: [String], of process: pid_t) {
        guard !lines.isEmpty else { return }
        let time = Date().formatted(.iso8601)
        let bytes = Array(lines.map { "\(time) [\(process)] \($0)\n" }.joined().utf8)
        Self.turn.withLock { _ in
            do {
                try FileManager.default.createDirectory(
                    atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
                let file = try FileDescriptor.open(path, [.writeOnly, .create, .append, .noFollow])
                try bytes.withUnsafeBytes { try file.writeAll($0) }
                if try file.status().size >= Self.largest { rename(path, olderPath) }
            } catch {}
        }
    }

    /// Removes both files. Blocks on the file system.
    package func remove() {
        unlink(path)
        unlink(olderPath)
    }
}

/// Reads an extension's log from its beginning, and then what is added.
package struct ExtensionLogReader {
    private let log: ExtensionLog
    private var file: FileDescriptor?
    private var hasBegun = false

    /// Bytes that are read at a time.
    private static let piece = 64 << 10

    package init(_ log: ExtensionLog) { self.log = log }

    /// Returns the next bytes, or none at the end of what was written so far. Blocks on the file system.
    package mutating func next() throws(Errno) -> [UInt8] {
        if !hasBegun {
            hasBegun = true
            file = try Self.open(log.olderPath)
        }
        while true {
            if file == nil { file = try Self.open(log.path) }
            guard let current = file else { return [] }
            let bytes = try current.readPiece(Self.piece)
            if !bytes.isEmpty { return bytes }
            // At its end: the next file takes over when this one is no longer written.
            let next = try Self.open(log.path)
            guard let next, try next.status().identity != current.status().identity else { return [] }
            file = next
        }
    }

    private static func open(_ path: String) throws(Errno) -> FileDescriptor? {
        do throws(Errno) { return try .open(path, [.readOnly, .noFollow, .nonBlocking]) } catch .noSuchFile {
            return nil
        }
    }
}

extension FileDescriptor {
    fileprivate func readPiece(_ most: Int) throws(Errno) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: most)
        var count = 0
        var failure: Errno?
        bytes.withUnsafeMutableBytes { buffer in
            do throws(Errno) { count = try read(into: buffer) } catch { failure = error }
        }
        if let failure { throw failure }
        return Array(bytes[..<count])
    }
}
