import Foundation
import ProgramTesting
import Testing

/// Commands of documents that no test pastes, because they need the user's own server, or a user at a window: their
/// commands, options, providers and settings exist.
@Suite(.timeLimit(.minutes(10))) struct ShownCommandTests {
    @Test func theCommandsForTheUsersServerExist() async throws {
        let blocks = try MarkdownBlock.all(in: "README.md").filter { $0.heading == "Your cloud" }
        try #require(blocks.count == 1)
        for command in try await check(blocks[0], prompt: "$ ") where command.words[0] == "ls" {
            let names = try Self.commands(of: blocks[0], prompt: "$ ").compactMap(\.addedDomain)
            #expect(names.contains { command.words.dropFirst() == ["~/Purvey/\($0)"] }, "\(command)")
        }
    }

    @Test func theCommandsOfThePickerExist() async throws {
        let blocks = try MarkdownBlock.all(in: "Documentation/Files.md")
        try #require(!blocks.isEmpty)
        for block in blocks { try await check(block, prompt: "") }
    }

    /// `text` is for diagrams and for the one block that ``theCommandsForTheUsersServerExist()`` reads.
    @Test func noOtherCommandIsShownAsText() throws {
        for document in try MarkdownBlock.documents {
            for block in try MarkdownBlock.all(in: document)
            where block.language == "text" && block.heading != "Your cloud" {
                #expect(!block.text.contains(#/(?m)^\$ /#), "no test reads the commands of \(block)")
            }
        }
    }

    // MARK: Commands

    /// A command line, without its comment.
    private struct ShownCommand: CustomStringConvertible {
        let description: String
        let words: [String]

        init(_ line: String) {
            description = line
            let code = line.firstRange(of: /\s#/).map { line[..<$0.lowerBound] } ?? line[...]
            words = code.matches(of: /'([^']*)'|(\S+)/).map { String($0.1 ?? $0.2 ?? "") }
        }

        /// The name of the domain that the command adds.
        var addedDomain: String? { words.starts(with: ["purvey", "domains", "add"]) ? words.dropFirst(4).first : nil }
    }

    private static func commands(of block: MarkdownBlock, prompt: String) throws -> [ShownCommand] {
        let lines = block.text.split(separator: "\n").map(String.init)
        try #require(lines.allSatisfy { $0.hasPrefix(prompt) }, "\(block)")
        return lines.map { ShownCommand(String($0.dropFirst(prompt.count))) }
    }

    @discardableResult
    private func check(_ block: MarkdownBlock, prompt: String) async throws -> [ShownCommand] {
        let commands = try Self.commands(of: block, prompt: prompt)
        #expect(!commands.isEmpty, "\(block)")
        for command in commands {
            switch command.words.first {
            case "ls": #expect(command.words.count == 2, "\(block): \(command)")
            case "purvey": try await checkPurvey(command, in: block)
            case "purvey-files":
                try await checkOptions(command, in: block, helpOf: "purvey-files", ["--help"])
            default: Issue.record("\(block): no test knows \(command)")
            }
        }
        return commands
    }

    private func checkPurvey(_ command: ShownCommand, in block: MarkdownBlock) async throws {
        let name = try #require(command.words.dropFirst().first)
        let help = try await checkOptions(command, in: block, helpOf: "purvey", [name, "--help"])
        guard command.words.count > 4, command.words[2] == "add" else {
            Issue.record("\(block): no test knows \(command)")
            return
        }
        #expect(help.contains("purvey \(name) add "), "\(block): \(command)")
        let settings = try #require(try Self.settings[command.words[3]], "\(block): no such provider: \(command)")
        let given = Set(command.words.dropFirst(5).map { String($0.prefix { $0 != "=" }) })
        #expect(given.isSubset(of: settings.all), "\(block): \(command)")
        #expect(given.isSuperset(of: settings.required), "\(block): \(command)")
    }

    /// Checks that a program succeeds in printing its help, and that the help has the command's options.
    ///
    /// - Returns: The help.
    @discardableResult
    private func checkOptions(
        _ command: ShownCommand, in block: MarkdownBlock, helpOf program: String, _ arguments: [String]
    ) async throws -> String {
        let run = try await RunningProgram(BuiltProgram.path(program), arguments).end()
        #expect(run.status == 0, "\(block): \(command)")
        let help = String(decoding: run.output, as: UTF8.self)
        for option in command.words where option.hasPrefix("--") {
            #expect(help.split(separator: "\n").contains { $0.hasPrefix("  \(option) ") }, "\(block): \(option)")
        }
        return help
    }

    /// The keys of the settings of each provider that comes with Purvey, by the provider's short name.
    private static var settings: [String: (all: Set<String>, required: Set<String>)] {
        get throws {
            let folder = Repository.path("Providers")
            var settings: [String: (all: Set<String>, required: Set<String>)] = [:]
            for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
                let data = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)/Info.plist"))
                let list = try PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any]
                let attributes = try #require(list?["NSExtension"] as? [String: Any], "\(name)")
                let keys = (attributes["PurveyDomainSettings"] as? [String: String] ?? [:]).keys
                let required = keys.filter { !$0.hasSuffix("?") }
                settings[try #require(attributes["PurveyShortName"] as? String, "\(name)")] = (
                    Set(keys.map { String($0.prefix { $0 != "?" }) }), Set(required)
                )
            }
            return settings
        }
    }
}
