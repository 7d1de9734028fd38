import Foundation
import LinuxSystem
import ProgramTesting
import ScriptableService
import Testing

/// Tests that an empty result is announced on a terminal, and nowhere else.
@Suite(.timeLimit(.minutes(20))) struct EmptyAnswerTests {
    /// Expects a sentence on a terminal, and no output without one.
    private func expect(_ sentence: String, of words: [String], _ place: CommandFixture) async throws {
        let (ending, text) = try await PersonAtTerminal(place, words).end()
        #expect(ending == .exited(0) && text == sentence + "\r\n", "\(words): \(text)")
        let run = try await place.purvey(words)
        #expect(run.status == 0 && run.errors.isEmpty && run.output.isEmpty, "\(words): \(run)")
    }

    @Test func emptyAnswersSaySo() async throws {
        try await CommandFixture.run { place in
            try place.write("text", to: "file.txt")
            for (words, sentence) in [
                (["list"], "nothing is offered on the board 'shelf'"),
                (["list", "--board", "mine"], "nothing is offered on the board 'mine'"),
                (["bundles"], "no bundle is registered"),
                (["extensions", "list"], "no extension is installed"),
                (["share", place.path("file.txt"), "--list"], "no installed extension accepts these items"),
                (["domains"], "there is no domain; 'purvey domains add' adds one"),
                (["pause"], "there is no domain; 'purvey domains add' adds one"),
                (["resume"], "there is no domain; 'purvey domains add' adds one"),
                (["recents"], "no file of a service was used yet"),
                (["favorites"], "there are no favorites"),
                (["search", "word"], "nothing that is known on this machine fits"),
                (["trash"], "there is nothing in the trash of any service"),
            ] { try await expect(sentence, of: words, place) }
            #expect(try await place.purvey("copy", input: Data()).status == 0)
            // A slow load prints its progress first.
            let pasted = try await PersonAtTerminal(place, ["paste"]).end()
            #expect(pasted.text.hasSuffix("the item on the pasteboard is empty\r\n"), "\(pasted)")
            let piped = try await place.purvey("paste")
            #expect(piped.status == 0 && piped.errors.isEmpty && piped.output.isEmpty, "\(piped)")
            let (_, text) = try await PersonAtTerminal(place, ["status"]).end()
            #expect(text.hasSuffix("\r\nnothing is mounted; 'purvey domains add' adds a service\r\n"), "\(text)")
            #expect(try await place.purvey("status").errors.isEmpty)
        }
    }

    @Test func inAService() async throws {
        try await ServiceFixture.run { place in
            try await expect("Cloud is empty", of: ["ls", "Cloud:"], place.place)
            try await expect("no service has found anything", of: ["search", "--provider", "word"], place.place)
            try await place.tell { try $0.put("letter.txt", "a") }
            try await place.succeed("signal", "Cloud")
            try await place.eventually("the file is known") {
                try await place.place.purvey("stat", "Cloud:letter.txt").status == 0
            }
            try await expect("Cloud:letter.txt has no tags", of: ["tag", "Cloud:letter.txt"], place.place)
            try await place.install(actions: [])
            try await expect(
                "the provider has no action that fits Cloud:letter.txt", of: ["actions", "Cloud:letter.txt"],
                place.place)
        }
    }

    @Test func ofAnExtension() async throws {
        try await CommandFixture.run { place in
            let cloud = try await CloudFixture(place)
            let bundle = place.path("LocalFolder.appex")
            try await expect("\(bundle) has no fault", of: ["extensions", "check", bundle], place)
            try await expect("nothing has been logged", of: ["extensions", "logs", "local"], place)
            try await cloud.add()
            try await expect(
                "the provider of Papers has no alert that can be suppressed", of: ["alerts", "Papers"], place)
            try await cloud.end()
            let peer = place.path("ExtensionPeer.appex")
            let list = """
                {"CFBundleIdentifier": "org.example.Peer", "CFBundleExecutable": "ExtensionPeer", "NSExtension": {
                "NSExtensionPointIdentifier": "com.apple.ui-services", "PurveyTimeLimit": 600,
                "NSExtensionPrincipalClass": "ExtensionPeer.Principal",
                "NSExtensionAttributes": {"NSExtensionActivationRule": "TRUEPREDICATE"}}}
                """
            try FileManager.default.createDirectory(atPath: peer, withIntermediateDirectories: true)
            let values = try JSONSerialization.jsonObject(with: Data(list.utf8))
            try PropertyListSerialization.data(fromPropertyList: values, format: .xml, options: 0)
                .write(to: URL(fileURLWithPath: peer + "/Info.plist"))
            try FileManager.default.linkItem(
                atPath: BuiltProgram.path("ExtensionPeer"), toPath: peer + "/ExtensionPeer")
            let installed = try await place.purvey("extensions", "install", peer)
            try #require(installed.status == 0, "\(installed)")
            try place.write("text", to: "without reply.txt")
            try await expect(
                "org.example.Peer returned nothing",
                of: ["share", place.path("without reply.txt"), "--with", "org.example.Peer"], place)
        }
    }

    @Test func jsonIsAnAnswerAlsoWhereItIsEmpty() async throws {
        try await CommandFixture.run { place in
            for words in [["list", "--json"], ["bundles", "--json"], ["domains", "--json"], ["trash", "--json"]] {
                let (ending, text) = try await PersonAtTerminal(place, words).end()
                #expect(ending == .exited(0) && text.hasPrefix("[") && text.hasSuffix("]\r\n"), "\(words): \(text)")
            }
        }
    }
}
