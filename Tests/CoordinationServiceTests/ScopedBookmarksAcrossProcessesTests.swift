import Conduit
import Exchange
import ExtensionHost
import FileCoordination
import Foundation
import Glibc
import LinuxSystem
import TestThreads
import Testing

/// A bookmark passed from a program of the user to a confined extension of the daemon. The three processes use only
/// the public API where an app would.
@Suite(.timeLimit(.minutes(10)), .ownThreads) struct ScopedBookmarksAcrossProcessesTests {
    private static let refused = "error \(CocoaError.Code.fileReadNoPermission.rawValue)"
    private static let corrupt = "error \(CocoaError.Code.fileReadCorruptFile.rawValue)"

    @Test func aFileIsHandedFromAProgramToAnExtensionOfTheDaemons() async throws {
        try await PrivateDaemon.run { daemon in
            try await ConfinedExtension.install(daemon)
            let file = daemon.work + "/a.txt"
            try Data("text".utf8).write(to: URL(fileURLWithPath: file))
            let bookmark = try await ConfinedExtension.app(daemon, "make", file)
            let plain = try await ConfinedExtension.app(daemon, "make-plain", file)
            try await ConfinedExtension.run(daemon) { process in
                #expect(try await process.tell("read \(file)").hasPrefix("error"))
                let path = try await process.resolve(bookmark)
                #expect(try await process.tell("read \(path)").hasPrefix("error"))
                #expect(try await process.tell("start \(path)") == "yes")
                #expect(try await process.tell("start \(path)") == "yes")
                #expect(try await process.tell("append \(path)") == "done")
                #expect(try String(contentsOfFile: file, encoding: .utf8) == "text+")
                // Loaded by descriptor, it is the file itself.
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
            try await ConfinedExtension.install(daemon)
            let file = daemon.work + "/a.txt"
            try Data("text".utf8).write(to: URL(fileURLWithPath: file))
            let bookmarks = [
                try await ConfinedExtension.app(daemon, "make", file),
                try await ConfinedExtension.app(daemon, "make-for", ConfinedExtension.bundle, file),
            ]
            let foreign = try await ConfinedExtension.app(daemon, "make-for", "org.example.other", file)
            try await ConfinedExtension.run(daemon) { process in
                let path = try await process.resolve(bookmarks[1])
                #expect(try await process.tell("start \(path)") == "yes")
            }
            await daemon.kill()
            try await daemon.start()
            try retrying { rename(file, daemon.work + "/b.txt") }
            try await ConfinedExtension.run(daemon) { process in
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
