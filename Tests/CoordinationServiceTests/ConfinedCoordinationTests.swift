import AppExtension
import FileCoordination
import Foundation
import ItemProvider
import LinuxSystem
import TestThreads
import Testing

/// File coordination between a confined extension of the daemon and programs of the user.
@Suite(.timeLimit(.minutes(10)), .ownThreads) struct ConfinedCoordinationTests {
    /// A file of the user, an extension with access to it, and another process of the user.
    private struct Scene {
        let daemon: PrivateDaemon
        let process: ConfinedExtension
        let peer: PeerProcess
        /// The file's path for the user.
        let file: String
        /// The file's path for the extension.
        let scoped: String
    }

    /// - Parameter thereafter: Checks that run after the extension has ended.
    private func run(
        _ body: @Sendable (Scene) async throws -> Void,
        thereafter: @Sendable (PeerProcess) async throws -> Void = { _ in }
    ) async throws {
        try await PrivateDaemon.run { daemon in
            try await ConfinedExtension.install(daemon)
            let file = daemon.work + "/a.txt"
            try Data("text".utf8).write(to: URL(fileURLWithPath: file))
            let bookmark = try await ConfinedExtension.app(daemon, "make", file)
            let peer = try daemon.peer(program: TestProcess.program("CoordinationPeer"))
            try await ConfinedExtension.run(daemon) { process in
                let scoped = try await process.resolve(bookmark)
                #expect(try await process.tell("start \(scoped)") == "yes")
                try await body(Scene(daemon: daemon, process: process, peer: peer, file: file, scoped: scoped))
            }
            try await thereafter(peer)
        }
    }

    private func hold(_ peer: PeerProcess, _ command: String) async throws {
        peer.tell(command)
        try await peer.hear("granted")
    }

    @Test func anExtensionWaitsForAWriterOfTheFileThatItsPlaceStandsFor() async throws {
        try await run { scene in
            try await hold(scene.peer, "write \(scene.file)")
            async let text = scene.process.tell("coordinated-read \(scene.scoped)")
            // The reader waits while the writer holds its claim, so two claims exist.
            try await scene.daemon.hasClaims(2)
            try Data("written".utf8).write(to: URL(fileURLWithPath: scene.file))
            scene.peer.tell("end")
            #expect(try await text == "written")
        }
    }

    @Test func aProgramWaitsForAnExtensionThatWrites() async throws {
        try await run { scene in
            #expect(try await scene.process.tell("hold \(scene.scoped)") == "held")
            scene.peer.tell("contents \(scene.file)")
            try await scene.daemon.hasClaims(2)
            #expect(scene.peer.unheard.isEmpty)
            #expect(try await scene.process.tell("append \(scene.scoped)") == "done")
            #expect(try await scene.process.tell("release") == "released")
            #expect(try await scene.peer.hear("contents") == "text+")
        }
    }

    @Test func aPresenterOfAnotherProgramSavesBeforeAnExtensionReads() async throws {
        try await run { scene in
            try await scene.peer.ask("present \(scene.file)", "presenting")
            #expect(try await scene.process.tell("coordinated-append \(scene.scoped)") == "done")
            try await scene.peer.hear("told to writer")
            try await scene.peer.hear("told changed")
            #expect(try await scene.process.tell("coordinated-read \(scene.scoped)") == "text+")
            try await scene.peer.hear("told save")
        }
    }

    @Test func aFileThatWasMovedIsCoordinatedWhereItIsNow() async throws {
        try await run { scene in
            let moved = scene.daemon.work + "/b.txt"
            try retrying { rename(scene.file, moved) }
            try await hold(scene.peer, "write \(moved)")
            async let text = scene.process.tell("coordinated-read \(scene.scoped)")
            try await scene.daemon.hasClaims(2)
            scene.peer.tell("end")
            #expect(try await text == "text")
        }
    }

    @Test func aFileThatAnExtensionWasNotHandedItNeitherWaitsForNorReads() async throws {
        try await run { scene in
            try await hold(scene.peer, "write \(scene.file)")
            #expect(try await scene.process.tell("coordinated-read \(scene.file)") == "unreadable")
            #expect(try await scene.process.tell("coordinated-read \(scene.daemon.work)") == "unreadable")
            try await scene.daemon.hasClaims(1)
            try await scene.peer.ask("end", "ended")
        }
    }

    @Test func claimsOfAnEndedExtensionAreReleased() async throws {
        try await run { scene in
            #expect(try await scene.process.tell("hold \(scene.scoped)") == "held")
            scene.peer.tell("contents \(scene.file)")
            try await scene.daemon.hasClaims(2)
            #expect(scene.peer.unheard.isEmpty)
        } thereafter: { peer in
            let text = try await peer.hear("contents")
            #expect(text == "text")
        }
    }

    @Test(arguments: [(true, false), (false, true)])
    func anItemThatAnExtensionLoadsIsReadUnderACoordinatedRead(coordinated: Bool, inPlace: Bool) async throws {
        try await PrivateDaemon.run { daemon in
            try await ConfinedExtension.install(
                daemon, product: "ExtensionPeer", principal: "ExtensionPeer.Principal")
            let file = daemon.work + "/a.txt"
            try Data("text".utf8).write(to: URL(fileURLWithPath: file))
            let peer = try daemon.peer(program: TestProcess.program("CoordinationPeer"))
            try await hold(peer, "write \(file)")
            try await ConfinedExtension.run(daemon) { process in
                let connection = try ExtensionConnection(process.socket.duplicate())
                async let text = load(file, coordinated, inPlace, over: connection)
                try await daemon.hasClaims(2)
                try Data("written".utf8).write(to: URL(fileURLWithPath: file))
                peer.tell("end")
                #expect(try await text == "written")
                connection.close()
            }
        }
    }

    /// Returns the text that an extension reads from a file passed to it as an item.
    private func load(
        _ path: String, _ coordinated: Bool, _ inPlace: Bool, over connection: ExtensionConnection
    ) async throws -> String? {
        let provider = NSItemProvider()
        provider.registerFileRepresentation(
            forTypeIdentifier: "public.data", fileOptions: inPlace ? .openInPlace : [], visibility: .all
        ) { completion in
            completion(URL(fileURLWithPath: path), coordinated, nil)
            return nil
        }
        let item = NSExtensionItem()
        item.attributedTitle = NSAttributedString(string: "load")
        item.attachments = [provider]
        return try await connection.request([item]).first?.attributedContentText?.string
    }

    @Test func aFolderForAConsumerThatHasGoneIsNotWaitedForAnyLonger() async throws {
        try await PrivateDaemon.run { daemon in
            let file = daemon.work + "/folder/a.txt"
            try FileManager.default.createDirectory(
                atPath: daemon.work + "/folder", withIntermediateDirectories: true)
            try Data("text".utf8).write(to: URL(fileURLWithPath: file))
            let program = TestProcess.program("CoordinationPeer")
            let (provider, writer) = (try daemon.peer(program: program), try daemon.peer(program: program))
            try await provider.ask("offer \(daemon.work)/folder coordinated", "offered")
            try await hold(writer, "write \(file)")
            // A confined process receives directories as copies made by the providing process.
            let consumer = try PeerProcess(
                program, environment: TestProcess.environment(home: daemon.home) + ["PURVEY_CONFINED=1"])
            consumer.tell("loadfolder board copy \(daemon.work)/copy")
            try await daemon.hasClaims(2)
            await consumer.end()
            try await daemon.hasClaims(1)
            try await writer.ask("end", "ended")
        }
    }

    @Test func anExtensionNeitherWritesNorPresentsWhatItHasNoAccessTo() async throws {
        try await run { scene in
            let other = scene.daemon.work + "/other.txt"
            try Data("other".utf8).write(to: URL(fileURLWithPath: other))
            #expect(try await scene.process.tell("coordinated-append \(other)").hasPrefix("error"))
            #expect(try await scene.process.tell("coordinated-append \(scene.daemon.work)").hasPrefix("error"))
            #expect(try await scene.process.tell("present \(scene.daemon.work)") == "presenting")
            try await scene.peer.ask("replace \(other) changed", "replaced")
            // A later notification shows that none was delivered before.
            #expect(try await scene.process.tell("present \(scene.scoped)") == "presenting")
            #expect(try await scene.process.tell("coordinated-append \(scene.scoped)") == "done")
            try await eventually { try await scene.process.tell("heard").contains("changed") }
            #expect(try await !scene.process.tell("heard").contains("subitem"))
        }
    }
}
