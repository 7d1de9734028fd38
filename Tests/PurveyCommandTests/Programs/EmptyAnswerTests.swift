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
            let (_, text) = try await PersonAtTerminal(place, ["status"]).end()
            #expect(text.hasSuffix("\r\nnothing is mounted; 'purvey domains add' adds a service\r\n"), "\(text)")
            #expect(try await place.purvey("status").errors.isEmpty)
        }
    }

    @Test func inAService() async throws {
        try await ServiceFixture.run { place in
            try await expect("Cloud: is empty", of: ["ls", "Cloud:"], place.place)
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

    @Test func jsonIsAnAnswerAlsoWhereItIsEmpty() async throws {
        try await CommandFixture.run { place in
            for words in [["list", "--json"], ["bundles", "--json"], ["domains", "--json"], ["trash", "--json"]] {
                let (ending, text) = try await PersonAtTerminal(place, words).end()
                #expect(ending == .exited(0) && text.hasPrefix("[") && text.hasSuffix("]\r\n"), "\(words): \(text)")
            }
        }
    }
}
