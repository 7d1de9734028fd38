import LinuxSystem
import Testing

@Suite struct NearMissTests {
    private let commands = ["types", "offer", "list", "load", "status", "search", "domains", "ls", "stat", "sign-in"]

    @Test(arguments: [
        ("statsu", "status"), ("tsatus", "status"), ("lisst", "list"), ("lst", "list"), ("STATUS", "status"),
        ("domain", "domains"), ("signin", "sign-in"), ("serach", "search"), ("dom", "domains"),
    ])
    func aSlipOrTwoLeadToTheWordThatWasMeant(_ word: String, _ meant: String) {
        #expect(SpellingSuggestion.nearest(to: word, among: commands) == meant)
    }

    @Test(arguments: ["", "-", "x", "st", "cp", "frobnicate", String(repeating: "l", count: 1_000_000)])
    func distantAndAmbiguousNamesAreNotGuessed(_ word: String) {
        #expect(SpellingSuggestion.nearest(to: word, among: commands) == nil)
    }

    @Test func dashesDoNotCount() {
        #expect(SpellingSuggestion.nearest(to: "-json", among: ["--json", "--once"]) == "--json")
        #expect(SpellingSuggestion.nearest(to: "--oncee", among: ["--json", "--once"]) == "--once")
        #expect(SpellingSuggestion.nearest(to: "--", among: ["--json", "-o"]) == nil)
    }

    @Test func theSentenceHasTheWordOrAllThatThereAre() {
        func sentence(_ word: String, listing: Bool) -> String {
            SpellingSuggestion.sentence("no \(word)", about: word, known: ["add", "set", "remove"], listing: listing)
        }
        #expect(sentence("ad", listing: true) == "no ad (did you mean 'add'?)")
        #expect(sentence("x", listing: true) == "no x: add, set or remove")
        #expect(sentence("x", listing: false) == "no x")
        #expect(SpellingSuggestion.sentence("no x", about: "x", known: [], listing: true) == "no x")
    }
}
