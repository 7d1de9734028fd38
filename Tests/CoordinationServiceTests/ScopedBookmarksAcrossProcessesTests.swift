import Conduit
import Exchange
import ExtensionHost
import FileCoordination
import Foundation
import Glibc
import LinuxSystem
import Testing

/// A bookmark's way from a program of the user's to an extension that the daemon runs, confined: three processes, and the public
/// interface alone where an app would use it.
@Suite(.timeLimit(.minutes(5))) struct ScopedBookmarksAcrossProcessesTests {
    private static let bundle = "org.example.bookmarks"

    /// The extension, and what it says.
    private struct Extension {
        let socket: FileDescriptor

        /// Tells it to do something; its answer.
        func tell(_ deed: String) async throws -> String {
            let socket = socket
            return try await offPool {
                let bytes = Array(deed.utf8)
                try retrying { send(socket.rawValue, bytes, bytes.count, CInt(MSG_NOSIGNAL)) }
                var wait = pollfd(fd: socket.rawValue, events: CShort(POLLIN), revents: 0)
                guard poll(&wait, 1, 60_000) == 1 else { throw Failure("the extension does not answer") }
                var buffer = [UInt8](repeating: 0, count: 16384)
                let count = recv(socket.rawValue, &buffer, buffer.count, 0)
                guard count > 0 else { throw Failure("the extension has ended") }
                return String(decoding: buffer[..<count], as: UTF8.self)
            }
        }

        /// Resolves a bookmark: the path that it gets.
        func resolve(_ bookmark: String) async throws -> String {
            let answer = try await tell("resolve " + bookmark)
            try #require(answer.hasPrefix("current /") || answer.hasPrefix("stale /"), "\(answer)")
            return String(answer.drop { $0 != "/" })
        }
    }

    private func install(_ daemon: PrivateDaemon) async throws {
        let appex = daemon.home + "/Bookmarks.appex"
        try FileManager.default.createDirectory(atPath: appex, withIntermediateDirectories: true)
        let list: [String: Any] = [
            "CFBundleIdentifier": Self.bundle, "CFBundleName": "Bookmarks", "CFBundleExecutable": "Bookmarks",
            "NSExtension": [
                "NSExtensionPointIdentifier": "com.apple.ui-services", "NSExtensionPrincipalClass": "None",
                "NSExtensionAttributes": ["NSExtensionActivationRule": "TRUEPREDICATE"],
                "PurveyTimeLimit": 200,
            ] as [String: Any],
        ]
        try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
            .write(to: URL(fileURLWithPath: appex + "/Info.plist"))
        let program = TestProcess.program("BookmarkExtension")
        // By another process, which no fork of this one has open for writing.
        let copy = try await offPool {
            try ChildProgram.start("/bin/cp", arguments: [program, appex + "/Bookmarks"], descriptors: []).wait()
        }
        try #require(copy == .exited(0))
        _ = try ExtensionLibrary(data: daemon.locations.data).install(path: appex)
    }

    /// Has the daemon run the extension for as long as a function runs.
    private func run(_ daemon: PrivateDaemon, _ body: (Extension) async throws -> Void) async throws {
        let (ours, theirs) = try SequencedPacketSocket.pair()
        let request = RunExtensionCall(identifier: Self.bundle, socket: theirs.descriptor)
        async let ending = daemon.client.call(request)
        do {
            try await body(Extension(socket: ours.descriptor))
        } catch {
            // Without its caller it ends.
            shutdown(ours.descriptor.rawValue, CInt(SHUT_RDWR))
            let ending = try? await ending
            throw Failure("\(error); \(ending.map { "\($0)" } ?? "")")
        }
        shutdown(ours.descriptor.rawValue, CInt(SHUT_RDWR))
        _ = try? await ending
    }

    /// What another program of the user's makes of a path.
    private func app(_ daemon: PrivateDaemon, _ words: String...) async throws -> String {
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

    private static let refused = "error \(CocoaError.Code.fileReadNoPermission.rawValue)"
    private static let corrupt = "error \(CocoaError.Code.fileReadCorruptFile.rawValue)"

    @Test func aFileIsHandedFromAProgramToAnExtensionOfTheDaemons() async throws {
        try await PrivateDaemon.run { daemon in
            try await install(daemon)
            let file = daemon.work + "/a.txt"
            try Data("text".utf8).write(to: URL(fileURLWithPath: file))
            let bookmark = try await app(daemon, "make", file)
            let plain = try await app(daemon, "make-plain", file)
            try await run(daemon) { process in
                #expect(try await process.tell("read \(file)").hasPrefix("error"))
                let path = try await process.resolve(bookmark)
                #expect(try await process.tell("read \(path)").hasPrefix("error"))
                #expect(try await process.tell("start \(path)") == "yes")
                #expect(try await process.tell("start \(path)") == "yes")
                #expect(try await process.tell("append \(path)") == "done")
                #expect(try String(contentsOfFile: file, encoding: .utf8) == "text+")
                // By descriptor: the file itself.
                #expect(try await process.tell("item \(path)") == "text+")
                #expect(try await process.tell("stop \(path)") == "done")
                #expect(try await process.tell("read \(path)") == "text+")
                #expect(try await process.tell("stop \(path)") == "done")
                #expect(try await process.tell("read \(path)").hasPrefix("error"))
                #expect(try await process.tell("resolve " + plain) == Self.refused)
                var forged = try #require(Data(base64Encoded: bookmark))
                forged[100] ^= 1
                #expect(try await process.tell("resolve " + forged.base64EncodedString()) == Self.corrupt)
            }
        }
    }

    @Test func accessOutlivesTheDaemonTheExtensionAndTheFilesName() async throws {
        try await PrivateDaemon.run { daemon in
            try await install(daemon)
            let file = daemon.work + "/a.txt"
            try Data("text".utf8).write(to: URL(fileURLWithPath: file))
            let bookmarks = [
                try await app(daemon, "make", file), try await app(daemon, "make-for", Self.bundle, file),
            ]
            let foreign = try await app(daemon, "make-for", "org.example.other", file)
            try await run(daemon) { process in
                let path = try await process.resolve(bookmarks[1])
                #expect(try await process.tell("start \(path)") == "yes")
            }
            await daemon.kill()
            try await daemon.start()
            try retrying { rename(file, daemon.work + "/b.txt") }
            try await run(daemon) { process in
                for bookmark in bookmarks {
                    let path = try await process.resolve(bookmark)
                    #expect(path.hasSuffix("/b.txt"))
                    #expect(try await process.tell("start \(path)") == "yes")
                    #expect(try await process.tell("read \(path)") == "text")
                }
                #expect(try await process.tell("resolve " + foreign) == Self.refused)
            }
        }
    }
}
