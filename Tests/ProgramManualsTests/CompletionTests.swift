import ProgramManuals
import Testing

/// Tests of the completions of words from the description of a command line.
@Suite struct CompletionTests {
    private static let manual = ProgramManual(
        name: "store", summary: "keep boxes", usage: ["COMMAND"],
        commands: [
            CommandManual(
                program: "store", name: "add", summary: "add a box",
                usage: ["[--json] box DIR", "bag [--label L] FILE…", "[DOMAIN[:NAME]]"],
                options: [
                    .init(name: "json", value: nil, summary: "print JSON"),
                    .init(name: "label", value: "L", summary: "the label"),
                    .init(name: "color", value: "red|green", summary: "the color"),
                    .init(name: "o", value: "PATH", summary: "the destination"),
                ], discussion: ""),
            CommandManual(
                program: "store", name: "address", summary: "print an address", usage: ["PATH…"], options: [],
                discussion: ""),
            CommandManual(
                program: "store", name: "help", summary: "explain", usage: ["[COMMAND]"], options: [], discussion: ""),
        ])

    private func words(_ typed: String...) -> [String] {
        Completion(of: typed, for: Self.manual).candidates.map(\.word)
    }

    private func values(_ typed: String...) -> [Completion.Value] { Completion(of: typed, for: Self.manual).values }

    @Test func theFirstWordIsACommand() {
        #expect(words() == ["add", "address", "help"])
        #expect(words("") == ["add", "address", "help"])
        #expect(words("addr") == ["address"])
        #expect(words("x").isEmpty)
        #expect(words("--v") == ["--version"])
    }

    @Test func theArgumentOfHelpIsACommand() {
        #expect(words("help", "ad") == ["add", "address"])
        #expect(words("help", "add", "").isEmpty)
    }

    @Test func operandsFollowTheFormsThatFit() {
        #expect(words("add", "") == ["box", "bag"])
        #expect(values("add", "") == [.domain])
        #expect(values("add", "box", "") == [.directory])
        #expect(values("add", "box", "here", "").isEmpty)
        #expect(values("add", "bag", "one", "two", "") == [.file])
        #expect(values("address", "one", "") == [.item])
    }

    @Test func optionsAndTheirValuesAreNoOperands() {
        #expect(values("add", "--json", "box", "--label", "box", "") == [.directory])
        #expect(words("add", "box", "--") == ["--json", "--label", "--color"])
        #expect(words("add", "--", "--").isEmpty)
        #expect(values("add", "--", "box", "") == [.directory])
    }

    @Test func theValueOfAnOptionIsCompleted() {
        #expect(words("add", "--color", "") == ["red", "green"])
        #expect(words("add", "--color=g") == ["--color=green"])
        #expect(words("add", "--label", "").isEmpty)
        #expect(values("add", "-o", "") == [.file])
        #expect(words("add", "--none=x").isEmpty)
    }

    @Test func anUnknownCommandHasNoCompletions() {
        #expect(words("remove", "").isEmpty && values("remove", "").isEmpty)
    }

    @Test func candidatesArePrintedOncePerLineWithTheirSummaries() {
        var completion = Completion(of: ["address", "Pa"], for: Self.manual)
        completion.add([
            .init("Papers:", "a domain"), .init("Papers:"), .init("Other:"), .init("Pa\nnic:"), .init("Pa:"),
        ])
        #expect(completion.text() == "Papers:\ta domain\nPa:\n:file\n")
    }
}
