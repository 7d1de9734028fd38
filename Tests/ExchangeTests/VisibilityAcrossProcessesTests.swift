import Conduit
import Exchange
import Foundation
import Glibc
import ItemProvider
import LinuxSystem
import Testing

@Suite struct VisibilityAcrossProcessesTests {
    /// Registers a bundle with the daemon, and returns the path of its program, which is a copy of the peer's.
    private func register(
        _ name: String, team: String?, _ daemon: PrivateDaemon, copying original: String = "ExchangePeer"
    ) async throws -> String {
        let folder = daemon.work + "/\(name).app"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let program = folder + "/peer"
        try copyProgram(original, to: program)
        var list: [String: Any] = ["CFBundleIdentifier": "org.example.\(name)", "CFBundleExecutable": "peer"]
        list["PurveyTeamIdentifier"] = team
        let data = try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
        try data.write(to: URL(fileURLWithPath: folder + "/Info.plist"))
        let registered = try await daemon.client.call(RegisterBundleCall(path: folder))
        #expect(registered.identifier == "org.example.\(name)")
        return program
    }

    /// Copies a program to a file of its own, which is no link to the original. Another process copies it. If this
    /// one did, a fork might inherit the copy's descriptor open for writing, and executing the copy would fail.
    private func copyProgram(_ original: String = "ExchangePeer", to path: String) throws {
        let copy = try ChildProgram.start("/bin/cp", arguments: [TestProcess.program(original), path], descriptors: [])
            .wait()
        try #require(copy == .exited(0))
    }

    private let offer = "offer board visible public.png:0 public.jpeg:1 public.tiff:2 public.gif:3"

    @Test func visibleItemsDependOnTheTeam() async throws {
        try await PrivateDaemon.run { daemon in
            let editor = try await register("editor", team: "ACME", daemon)
            let viewer = try await register("viewer", team: "ACME", daemon)
            let other = try await register("other", team: "OTHER", daemon)
            let provider = try daemon.peer(program: editor)
            _ = try await provider.ask(offer, "offered")

            let mate = try daemon.peer(program: viewer)
            #expect(try await mate.ask("list board", "item") == "- public.png,public.jpeg,public.tiff")
            let stranger = try daemon.peer(program: other)
            #expect(try await stranger.ask("list board", "item") == "- public.png")
            let unregistered = try daemon.peer()
            #expect(try await unregistered.ask("list board", "item") == "- public.png")
            #expect(
                try await provider.ask("list board", "item") == "- public.png,public.jpeg,public.tiff,public.gif")
            // A second process of the same program is another process.
            let twin = try daemon.peer(program: editor)
            #expect(try await twin.ask("list board", "item") == "- public.png,public.jpeg,public.tiff")

            #expect(try await mate.ask("load board public.jpeg data", "loaded") == "data 11")
            #expect(try await stranger.ask("load board public.jpeg data", "failed").contains("-1000"))
            #expect(try await provider.ask("load board public.gif data", "loaded") == "data 10")
        }
    }

    @Test func aTransferableIsSeenByThoseItsRepresentationsAreShownTo() async throws {
        try await PrivateDaemon.run { daemon in
            let editor = try await register("editor", team: "ACME", daemon)
            let viewer = try await register("viewer", team: "ACME", daemon)
            let provider = try daemon.peer(program: editor)
            let path = daemon.work + "/report"
            try Data().write(to: URL(fileURLWithPath: path))
            _ = try await provider.ask("offer board transferable report \(path)", "offered")

            let everybodys = "report public.html,com.adobe.pdf,public.plain-text"
            let teams = "report public.html,com.adobe.pdf,public.json,public.xml,public.plain-text"
            let own = "report public.html,com.adobe.pdf,public.json,public.xml,public.rtf,public.plain-text"
            #expect(try await daemon.peer().ask("list board", "item") == everybodys)
            let mate = try daemon.peer(program: viewer)
            #expect(try await mate.ask("list board", "item") == teams)
            #expect(try await mate.ask("load board public.json data", "loaded") == "data 2")
            // A representation that is visible only to its own process remains so when a proxy exports it.
            #expect(try await provider.ask("list board", "item") == own)
            #expect(try await mate.ask("load board public.rtf data", "failed").contains("-1000"))
        }
    }

    @Test func dataForTheTeamStaysInTheTeam() async throws {
        try await PrivateDaemon.run { daemon in
            let editor = try await register("editor", team: "ACME", daemon, copying: "PasteboardPeer")
            let viewer = try await register("viewer", team: "ACME", daemon, copying: "PasteboardPeer")
            let other = try await register("other", team: "OTHER", daemon, copying: "PasteboardPeer")
            let provider = try daemon.peer(program: editor)
            _ = try await provider.ask("team-copy secret", "copied")
            for (program, seen) in [(viewer, "secret"), (other, "nothing"), (nil, "nothing")] {
                let consumer = try daemon.peer(program: program ?? TestProcess.program("PasteboardPeer"))
                // The private type is not listed for any process.
                #expect(
                    try await consumer.ask("team-paste", "pasted") == "\(seen) [\"public.utf8-plain-text\"]")
            }
            #expect(try await provider.ask("team-paste", "pasted").hasPrefix("secret"))
            // The private data outlives its process, for the team.
            _ = await provider.quit()
            let mate = try daemon.peer(program: viewer)
            #expect(try await mate.ask("team-paste", "pasted").hasPrefix("secret"))
            let stranger = try daemon.peer(program: other)
            #expect(try await stranger.ask("team-paste", "pasted").hasPrefix("nothing"))
        }
    }

    @Test func publicRepresentationsAreNotOfTheTeam() async throws {
        try await PrivateDaemon.run { daemon in
            let stranger = try daemon.peer()
            _ = try await stranger.ask("replace general visible public.png:0 org.purvey.team-data:0", "replaced")
            let consumer = try daemon.peer(program: TestProcess.program("PasteboardPeer"))
            let seen = try await consumer.ask("team-paste", "pasted")
            #expect(seen == "nothing [\"public.png\"]")
        }
    }

    @Test func anInvisibleItemIsUnknownToTheProcess() async throws {
        try await PrivateDaemon.run { daemon in
            let provider = try daemon.peer()
            let identifier = try await provider.ask("offer board visible public.gif:3 public.jpeg:1", "offered")
            #expect(try await daemon.board().items().isEmpty)
            let uuid = try #require(UUID(uuidString: identifier))
            await #expect(throws: ExchangeError.noSuchItem) { try await daemon.client.call(OpenCall(identifier: uuid)) }
        }
    }

    /// A consumer that asks the provider directly, without listing, gets only the permitted representations.
    @Test func theProvidersSideKeepsToWhatTheDaemonPermits() async throws {
        try await PrivateDaemon.run { daemon in
            let provider = try daemon.peer()
            let identifier = try #require(UUID(uuidString: try await provider.ask(offer, "offered")))
            let socket = try await daemon.client.call(OpenCall(identifier: identifier)).socket
            let direct = try Connection(try SequencedPacketSocket(checking: socket))
            defer { direct.close() }
            for (index, isPermitted) in [(0, true), (1, false), (2, false), (3, false), (4, false), (-1, false)] {
                let reply = try await direct.call(LoadCall(index: index, delivery: .data))
                switch reply {
                case .supplied: #expect(isPermitted)
                case .failed(let failure):
                    #expect(!isPermitted)
                    #expect(failure.code == NSItemProvider.ErrorCode.itemUnavailableError.rawValue)
                case .placed: Issue.record("a folder was placed where none was asked for")
                }
            }
        }
    }

    @Test func anExchangedProgramFileLosesTheTeam() async throws {
        try await PrivateDaemon.run { daemon in
            let editor = try await register("editor", team: "ACME", daemon)
            let viewer = try await register("viewer", team: "ACME", daemon)
            let provider = try daemon.peer(program: editor)
            _ = try await provider.ask(offer, "offered")
            let mate = try daemon.peer(program: viewer)
            #expect(try await mate.ask("list board", "item").contains("public.jpeg"))
            // Another file replaces the registered one, so the running process is no longer that program.
            unlink(viewer)
            try copyProgram(to: viewer)
            #expect(try await mate.ask("list board", "item") == "- public.png")
            let fresh = try daemon.peer(program: viewer)
            #expect(try await fresh.ask("list board", "item").contains("public.jpeg"))
        }
    }

    @Test func aRegistrationLastsAndCanBeTakenBack() async throws {
        try await PrivateDaemon.run { daemon in
            _ = try await register("editor", team: "ACME", daemon)
            await daemon.stop()
            try await daemon.start()
            let bundles = try await daemon.client.call(ListBundlesCall()).bundles
            #expect(bundles.map(\.identifier) == ["org.example.editor"])
            _ = try await daemon.client.call(RemoveBundleCall(identifier: "org.example.editor"))
            #expect(try await daemon.client.call(ListBundlesCall()).bundles.isEmpty)
            await #expect(throws: ExchangeError.self) {
                try await daemon.client.call(RemoveBundleCall(identifier: "org.example.editor"))
            }
            await #expect(throws: ExchangeError.self) {
                try await daemon.client.call(RegisterBundleCall(path: daemon.work))
            }
        }
    }
}
