import Foundation
import LinuxSystem
import ProgramTesting

/// A server behind a proxy that causes faults, started by `Tests/CloudServers/stage`, and another client of the server.
/// All calls block.
package final class CloudStage: Sendable {
    private struct Channel {
        var input: FileDescriptor?
        let output: FileDescriptor
        var buffer: [UInt8] = []
    }

    private let process: ChildProgram
    // One command at a time.
    private let channel: Lock<Channel>
    /// The address of the server's folder through the proxy.
    package let url: String
    /// The path of the proxy's certificate, if it has one.
    package let certificate: String?

    package struct Failed: Error, CustomStringConvertible {
        package let description: String
        /// Whether the error is that a program of the server is not installed.
        package var isNotInstalled: Bool { description.contains("is not installed") }
    }

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - name: one of ``CloudServer/names``.
    ///   - isSecure: whether the proxy has a certificate.
    package init(_ name: String, isSecure: Bool = false) throws {
        let started = try Self.start([name] + (isSecure ? ["--tls"] : []))
        let errors = started.errors
        process = started.process
        var channel = started.channel
        guard let reply = try Self.receive(&channel), let url = reply["url"] as? String else {
            let text = String(decoding: try errors.readToEnd(limit: 1 << 16), as: UTF8.self)
            _ = try process.wait()
            throw Failed(description: "\(name): \(text)")
        }
        self.url = url
        certificate = reply["certificate"] as? String
        self.channel = Lock(channel)
        // What a server prints later fills no pipe.
        try SystemThread.start("test-errors") {
            while let piece = try? errors.readToEnd(limit: 1 << 16), !piece.isEmpty {}
        }
    }

    /// Starts the program of a server. Returns the process, its standard error, and its other streams.
    private static func start(
        _ arguments: [String]
    ) throws -> (process: ChildProgram, errors: FileDescriptor, channel: Channel) {
        // The program's ends are closed at the end of this function. Otherwise no read would notice the program's end.
        let (theirInput, input) = try FileDescriptor.pipe()
        let (output, theirOutput) = try FileDescriptor.pipe()
        let (errors, theirErrors) = try FileDescriptor.pipe()
        let process = try ChildProgram.start(
            "/usr/bin/python3", arguments: [CloudServer.folder + "/stage"] + arguments,
            descriptors: [theirInput, theirOutput, theirErrors])
        return (process, errors, Channel(input: input, output: output))
    }

    /// Ends the server and removes its files.
    package func end() {
        channel.withLock { $0.input = nil }
        _ = try? process.wait()
    }

    // MARK: Commands

    @discardableResult
    package func tell(_ command: String, _ values: [String: any Sendable] = [:]) throws -> [String: Any] {
        let line = try JSONSerialization.data(withJSONObject: values.merging(["do": command]) { $1 })
        let reply = try channel.withLock { channel in
            guard let input = channel.input else { throw Failed(description: "the stage has ended") }
            try (Array(line) + [UInt8(ascii: "\n")]).withUnsafeBytes { try input.writeAll($0) }
            return try Self.receive(&channel)
        }
        guard let reply else { throw Failed(description: "the stage has ended at \(command)") }
        if let error = reply["error"] as? String { throw Failed(description: "\(command): \(error)") }
        return reply
    }

    /// Returns the next line of output as an object; `nil` at its end.
    private static func receive(_ channel: inout Channel) throws -> [String: Any]? {
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
        defer { room.deallocate() }
        var searched = 0
        while true {
            if let end = channel.buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                let line = Data(channel.buffer[..<end])
                channel.buffer.removeSubrange(...end)
                return try JSONSerialization.jsonObject(with: line) as? [String: Any]
            }
            searched = channel.buffer.count
            let count = try channel.output.read(into: room)
            if count == 0 { return nil }
            channel.buffer += room[..<count]
        }
    }

    /// Makes the proxy cause a fault. The fields are those of `nextcloud/faults.py`.
    package func fault(_ fields: [String: any Sendable]) throws { try tell("fault", fields) }
    package func clearFaults() throws { try tell("clear") }

    /// Kills the server's processes.
    package func killServer() throws { try tell("kill") }
    package func startServer() throws { try tell("start") }

    /// Writes a file of the Nextcloud user as another client, with a date in the past.
    package func write(_ path: String, _ text: String, ago seconds: Int) throws {
        let modified = Int(Date().timeIntervalSince1970) - seconds
        let values: [String: any Sendable] = ["user": "alice", "path": path, "text": text, "mtime": modified]
        try tell("control", ["action": "write", "values": values])
    }

    /// Makes the Nextcloud server save its state as a backup.
    package func backUp() throws { try tell("control", ["action": "backup"]) }
    package func restoreBackup() throws { try tell("control", ["action": "restore"]) }

    /// The number of requests that a fault delays at the moment.
    package func held() throws -> Int { try tell("held")["held"] as? Int ?? 0 }

    /// A request to the proxy, and the status of its reply; 0 if it had no reply.
    package struct Request: Sendable {
        package let method: String
        package let path: String
        package let status: Int
    }

    /// Returns the requests so far.
    package func requests() throws -> [Request] {
        let all = try tell("requests")["requests"] as? [[Any]] ?? []
        return all.map {
            Request(
                method: $0.first as? String ?? "", path: $0.dropFirst().first as? String ?? "",
                status: $0.last as? Int ?? 0)
        }
    }

    package func forgetRequests() throws { try tell("forget") }

    // MARK: The other client

    package func put(_ path: String, _ text: String) throws {
        try tell("put", ["path": path, "text": Self.latin(text)])
    }
    package func makeFolder(_ path: String) throws { try tell("mkdir", ["path": path]) }
    package func remove(_ path: String) throws { try tell("remove", ["path": path]) }
    package func move(_ path: String, to target: String) throws { try tell("move", ["path": path, "to": target]) }

    /// Returns the contents of a file; `nil` if it does not exist. Also finds files that the server does not list.
    package func get(_ path: String) throws -> String? {
        (try tell("get", ["path": path])["text"] as? String).map(Self.decoded)
    }

    /// Returns all paths with the contents of files, and with `folder` for directories. Paths may differ only in their
    /// Unicode normalization.
    package func entries() throws -> [(path: String, contents: String)] {
        let pairs = try tell("tree")["tree"] as? [[Any]] ?? []
        return pairs.map { pair in
            (pair.first as? String ?? "", (pair.last as? String).map(Self.decoded) ?? "folder")
        }
    }

    /// Returns the same as ``entries()``, by path.
    package func tree() throws -> [String: String] {
        Dictionary(try entries().map { ($0.path, $0.contents) }) { $1 }
    }

    /// Returns the text whose UTF-8 bytes are the characters of a Latin-1 text.
    private static func decoded(_ latin: String) -> String {
        String(decoding: latin.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }, as: UTF8.self)
    }

    /// Returns a Latin-1 text with a character for each UTF-8 byte of a text.
    private static func latin(_ text: String) -> String {
        String(String.UnicodeScalarView(text.utf8.map { Unicode.Scalar($0) }))
    }
}
