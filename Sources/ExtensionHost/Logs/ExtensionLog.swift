import AppExtension
import Foundation
import Glibc
import LinuxSystem

/// The log of one extension: the output, the log messages and the ends of its processes. The log consists of the
/// current file and the previous file.
///
/// The process that starts the extension, usually the daemon, writes the log.
package struct ExtensionLog: Sendable {
    /// The path of the current file.
    package let path: String
    /// The path of the previous file. It exists if the log has once exceeded the maximum size of a file.
    package var olderPath: String { path + ".1" }

    private let folder: String

    /// The size in bytes at which the current file becomes the previous file, and a new file is begun.
    private static let largest = 1 << 20
    /// A leaf lock that is held while lines are written, and while the current file is replaced.
    private static let turn = Lock(())

    /// Creates the log of the extension with the given identifier.
    ///
    /// - Parameter data: The directory of Purvey's data for this user.
    package init(of identifier: String, data: String) {
        folder = data + "/logs"
        path = folder + "/" + identifier + ".log"
    }

    /// Appends lines, each with the time and the process ID. Blocks on the file system. Lines that cannot be written,
    /// for example because the disk is full, are dropped, so that the extension can continue.
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

/// Reads an extension's log from the beginning, including lines that are added later.
package struct ExtensionLogReader {
    private let log: ExtensionLog
    private var file: FileDescriptor?
    private var hasBegun = false

    /// The maximum number of bytes to read at a time.
    private static let piece = 64 << 10

    package init(_ log: ExtensionLog) { self.log = log }

    /// Returns the next bytes; an empty array if all current bytes have been read. Blocks on the file system.
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
            // At the end of a file, reading continues with the next file when the current file is no longer written.
            let next = try Self.open(log.path)
            guard let next, try next.status().identity != current.status().identity else { return [] }
            // The writer may have added lines before it renamed the file.
            let rest = try current.readPiece(Self.piece)
            if !rest.isEmpty { return rest }
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

/// Writes the lines of one process to an extension's log.
final class LogLines: Sendable {
    private let log: ExtensionLog
    // Leaf lock.
    private let process = Lock<pid_t>(0)

    init(_ log: ExtensionLog) { self.log = log }

    /// Writes the line about the start of the process. Called before any output of the process is read.
    func begin(_ number: pid_t, _ bundle: ExtensionBundle) {
        process.withLock { $0 = number }
        let network = bundle.usesNetwork ? "" : ", without the network (no \(ExtensionBundle.networkKey))"
        write(["started: \(bundle.executable)\(network)"])
    }

    /// Appends lines. Blocks on the file system.
    func write(_ lines: [String]) {
        let number = process.withLock { $0 }
        log.write(lines, of: number)
    }
}
