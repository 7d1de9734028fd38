import Conduit
import Exchange
import ExtensionHost
import Foundation
import Glibc
import LinuxSystem
import Testing

/// The confined extension `BookmarkExtension`, which the daemon runs, and the socket that controls it.
struct ConfinedExtension {
    static let bundle = "org.example.bookmarks"

    let socket: FileDescriptor

    /// Sends a command and returns the reply.
    func tell(_ deed: String) async throws -> String {
        let socket = socket
        return try await offPool {
            let bytes = Array(deed.utf8)
            try retrying { send(socket.rawValue, bytes, bytes.count, CInt(MSG_NOSIGNAL)) }
            var wait = pollfd(fd: socket.rawValue, events: CShort(POLLIN), revents: 0)
            guard poll(&wait, 1, 300_000) == 1 else { throw Failure("the extension does not answer") }
            var buffer = [UInt8](repeating: 0, count: 16384)
            let count = recv(socket.rawValue, &buffer, buffer.count, 0)
            guard count > 0 else { throw Failure("the extension has ended") }
            return String(decoding: buffer[..<count], as: UTF8.self)
        }
    }

    /// Resolves a bookmark and returns its path.
    func resolve(_ bookmark: String) async throws -> String {
        let answer = try await tell("resolve " + bookmark)
        try #require(answer.hasPrefix("current /") || answer.hasPrefix("stale /"), "\(answer)")
        return String(answer.drop { $0 != "/" })
    }

    static func install(
        _ daemon: PrivateDaemon, product: String = "BookmarkExtension", principal: String = "None"
    ) async throws {
        let appex = daemon.home + "/Bookmarks.appex"
        try FileManager.default.createDirectory(atPath: appex, withIntermediateDirectories: true)
        let list: [String: Any] = [
            "CFBundleIdentifier": bundle, "CFBundleName": "Bookmarks", "CFBundleExecutable": "Bookmarks",
            "NSExtension": [
                "NSExtensionPointIdentifier": "com.apple.ui-services", "NSExtensionPrincipalClass": principal,
                "NSExtensionAttributes": ["NSExtensionActivationRule": "TRUEPREDICATE"],
                "PurveyTimeLimit": 600,
            ] as [String: Any],
        ]
        try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
            .write(to: URL(fileURLWithPath: appex + "/Info.plist"))
        let program = TestProcess.program(product)
        // Another process copies the program. If this one did, a fork might inherit the copy's descriptor open for
        // writing, and executing the copy would fail.
        let copy = try await offPool {
            try ChildProgram.start("/bin/cp", arguments: [program, appex + "/Bookmarks"], descriptors: []).wait()
        }
        try #require(copy == .exited(0))
        _ = try ExtensionLibrary(data: daemon.locations.data).install(path: appex)
    }

    /// Makes the daemon run the extension while `body` runs.
    static func run(_ daemon: PrivateDaemon, _ body: (ConfinedExtension) async throws -> Void) async throws {
        let (ours, theirs) = try SequencedPacketSocket.pair()
        let request = RunExtensionCall(identifier: bundle, socket: theirs.descriptor)
        async let ending = daemon.client.call(request)
        do {
            try await body(ConfinedExtension(socket: ours.descriptor))
        } catch {
            // The extension ends when its socket is shut down.
            shutdown(ours.descriptor.rawValue, CInt(SHUT_RDWR))
            let ending = try? await ending
            throw Failure("\(error); \(ending.map { "\($0)" } ?? "")")
        }
        shutdown(ours.descriptor.rawValue, CInt(SHUT_RDWR))
        _ = try? await ending
    }

    /// Runs the program `BookmarkPeer` as the user and returns its output.
    static func app(_ daemon: PrivateDaemon, _ words: String...) async throws -> String {
        let (ours, theirs) = try StartChannel.make()
        let environment = TestProcess.environment(home: daemon.home)
        let ending = try await offPool {
            try ChildProgram.start(
                TestProcess.program("BookmarkPeer"), arguments: words, environment: environment,
                descriptors: [nil, theirs]
            ).wait()
        }
        try #require(ending == .exited(0))
        var buffer = [UInt8](repeating: 0, count: 16384)
        let count = recv(ours.rawValue, &buffer, buffer.count, CInt(MSG_DONTWAIT))
        try #require(count > 0)
        return String(decoding: buffer[..<count], as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
