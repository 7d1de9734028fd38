import AppExtension
import AttackTesting
import Conduit
import Exchange
import ExtensionHost
import Foundation
import Glibc
import LinuxSystem
import ProgramTesting
import Testing

extension AttackedDaemon {
    /// Installs the hostile program as an extension.
    ///
    /// - Parameter point: the extension point.
    /// - Returns: the extension's identifier.
    func install(_ role: HostileRole, point: String = "com.apple.ui-services") async throws -> String {
        let identifier = "org.example.\(role.name)"
        let bundle = home + "/bundles-of-attackers/\(role.name).appex"
        try FileManager.default.createDirectory(atPath: bundle, withIntermediateDirectories: true)
        let list: [String: Any] = [
            "CFBundleIdentifier": identifier, "CFBundleName": role.name, "CFBundleExecutable": role.name,
            "NSExtension": [
                "NSExtensionPointIdentifier": point, "NSExtensionPrincipalClass": "None",
                "NSExtensionAttributes": ["NSExtensionActivationRule": "TRUEPREDICATE"],
                ExtensionBundle.timeKey: role.kind == .provider ? 60 : 600, ExtensionBundle.memoryKey: 256,
            ] as [String: Any],
        ]
        try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
            .write(to: URL(fileURLWithPath: bundle + "/Info.plist"))
        try Self.copyProgram(to: bundle + "/" + role.name)
        _ = try ExtensionLibrary(data: locations.data).install(path: bundle, link: true)
        return identifier
    }

    /// Copies the hostile program in another process. If this process had the copy open for writing, a fork might
    /// inherit the descriptor, and executing the copy would fail.
    static func copyProgram(to path: String) throws {
        let program = try BuiltProgram.path("HostileExtension")
        let copy = try ChildProgram.start("/bin/cp", arguments: [program, path], descriptors: [])
        try #require(try copy.wait() == .exited(0))
    }

    /// Whether a path in the daemon's home belongs to an installed extension: its bundle, its container or its log.
    static func isOfExtension(_ path: String) -> Bool {
        path.contains("/containers/") || path.contains("-of-attackers") || path.contains("org.example.")
    }

    /// Makes the daemon run an extension while a function runs. The function can send commands to the extension.
    func run(_ identifier: String, _ body: (SequencedPacketSocket) async throws -> Void) async throws {
        let client = try client()
        defer { client.close() }
        let ended = Latch()
        let socket = try start(identifier, over: client) { ended.open() }
        do {
            try await body(socket)
        } catch {
            socket.shutDown()
            throw error
        }
        socket.shutDown()
        ended.wait()
    }

    private func start(
        _ identifier: String, over client: Connection, _ end: @escaping @Sendable () -> Void
    ) throws -> SequencedPacketSocket {
        let (ours, theirs) = try SequencedPacketSocket.pair()
        client.call(RunExtensionCall(identifier: identifier, socket: theirs.descriptor)) { _ in end() }
        return ours
    }

    /// Sends a command to the hostile extension and returns its reply; `nil` if the extension ended instead.
    static func tell(_ order: String, over socket: SequencedPacketSocket) throws -> String? {
        try HostilePacket(Array(order.utf8)).send(over: socket)
        var request = pollfd(fd: socket.descriptor.rawValue, events: CShort(POLLIN), revents: 0)
        guard try retrying({ poll(&request, 1, 600_000) }) > 0 else { return nil }
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = try buffer.withUnsafeMutableBytes { try socket.receive(into: $0).byteCount }
        return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
    }
}
