import FileTesting
import Glibc
import LinuxSystem
import Testing

struct NeverHappened: Error {}

/// Checks a condition repeatedly until it holds, for five minutes at least.
func eventually(_ condition: () throws -> Bool) throws {
    for _ in 0..<60_000 {
        if try condition() { return }
        usleep(5000)
    }
    throw NeverHappened()
}

/// Returns the path of a program of this package, which is built beside the tests.
func builtProgram(_ name: String) throws -> String {
    let own = (try? FileDescriptor.open("/proc/self/exe", .pathOnly).path) ?? ""
    // The test runner may be a program of the toolchain that was given the tests as a library.
    for path in [own] + CommandLine.arguments {
        let candidate = path.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 } + "/" + name
        if access(candidate, X_OK) == 0 { return candidate }
    }
    throw NeverHappened()
}

/// A program of this package, and its output.
final class Peer {
    let program: ChildProgram
    private let socket: FileDescriptor
    private var buffer: [UInt8] = []

    init(_ path: String, _ arguments: [String]) throws {
        let (ours, theirs) = try Self.sockets()
        socket = ours
        program = try ChildProgram.start(path, arguments: arguments, descriptors: [theirs, theirs, theirs])
    }

    /// Returns two connected sockets. Both are close-on-exec: a program that holds this side would never see the end
    /// of its input.
    private static func sockets() throws -> (FileDescriptor, FileDescriptor) {
        var ends: [CInt] = [-1, -1]
        try retrying {
            socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends)
        }
        return (FileDescriptor(owning: ends[0]), FileDescriptor(owning: ends[1]))
    }

    func line() throws -> String {
        while true {
            if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
                defer { buffer.removeSubrange(...end) }
                return String(decoding: buffer[..<end], as: UTF8.self)
            }
            var byte: UInt8 = 0
            let count = try retrying { read(socket.rawValue, &byte, 1) }
            guard count > 0 else { return String(decoding: buffer, as: UTF8.self) + "(end)" }
            buffer.append(byte)
        }
    }

    func say(_ text: String = "\0") throws { try Array(text.utf8).withUnsafeBytes { try socket.writeAll($0) } }

    func kill(_ signal: CInt) { _ = Glibc.kill(program.processID, signal) }
}
