import Exchange
import Foundation
import ItemProvider
import UniformTypeIdentifiers

extension Command {
    static let load = Command(
        name: "load", summary: "load a representation of an item that is offered",
        usage: ["[--board B] [--item N] [--type T] [--as data|copy|in-place] [--json] [--force] -o PATH"],
        options: [
            .value("board", "BOARD", "the board (shelf)"),
            .value("item", "N", "the item, by its position or identifier (the first that has TYPE)"),
            .value("type", "TYPE", "the first representation of this type (the best)"),
            .value("as", "data|copy|in-place", "the form of delivery (copy; data for standard output)"),
            .value("o", "PATH", "the destination; in a folder, the item has its own name; - is standard output"),
            .flag("force", "in a folder, replace a file of that name"),
            .flag("json", "print JSON: the form of delivery, and the path"),
        ],
        discussion: """
            Prints the form of delivery: 'data', 'copy' or 'in place'. A folder that is delivered as data is a zip
            archive. An item that is delivered in place stays where it is, and PATH becomes a symbolic link to it. PATH
            is optional in this case.

            A file that PATH names is replaced. In a folder, the other program chooses the name. If the name is taken, a
            number is added. If it is that of a hidden file, a _ is put in front. With --force, the name stays, and a
            file of that name is replaced.
            """
    ) { arguments in
        guard arguments.operands.isEmpty else { throw UsageError("unexpected argument '\(arguments.operands[0])'") }
        let toStandardOutput = arguments.value("o") == "-"
        let delivery = try LoadArguments.delivery(arguments.value("as"), toStandardOutput: toStandardOutput)
        if toStandardOutput, arguments.has("json") { throw UsageError("--json cannot be used with -o -") }
        let destination: LoadDestination
        switch arguments.value("o") {
        case "-": destination = .standardOutput
        case "": throw UsageError("the path after -o is empty")
        case let path?: destination = .path(path)
        case nil where delivery == .inPlace: destination = .nowhere
        case nil: throw UsageError("say where to put it: -o PATH, or -o - for standard output")
        }
        let type = try arguments.value("type").map { try ItemArgument.typeIdentifier($0) }
        let board = try ItemArgument.board(arguments)
        let items = try await board.remoteItems()
        let item = try LoadArguments.find(arguments.value("item"), type: type, in: items, on: board)

        let outcome = try await CommandLineLoad.run(
            item.makeProvider(), type: type, as: delivery, to: destination,
            replacing: Replacement(ownName: arguments.has("force")))
        if toStandardOutput {
            StandardError.say(outcome.delivered.rawValue)
        } else if arguments.has("json") {
            try JSONOutput.print(outcome)
        } else {
            try StandardOutput.print(outcome.delivered.rawValue + "\n")
        }
    }
}

/// The arguments of `purvey load` that need validation.
private enum LoadArguments {
    static func delivery(_ text: String?, toStandardOutput: Bool) throws -> Delivery {
        switch text {
        case nil: return toStandardOutput ? .data : .copy
        case "data": return .data
        case "copy", "in-place":
            if toStandardOutput { throw UsageError("--as \(text ?? "") cannot be used with -o -") }
            return text == "copy" ? .copy : .inPlace
        case let text?:
            let known = ["data", "copy", "in-place"]
            throw UsageError(about: text, "--as cannot be '\(text)'", known: known, listing: true)
        }
    }

    static func find(_ text: String?, type: String?, in items: [RemoteItem], on board: Board) throws -> RemoteItem {
        guard let text else {
            guard let first = items.first else {
                throw CommandError("nothing is offered on the board '\(board.name)'; see 'purvey list'")
            }
            guard let type else { return first }
            let fitting = items.first { item in
                item.manifest.representations.contains { TypeIdentifier.conforms($0.typeIdentifier, to: type) }
            }
            if let fitting { return fitting }
            throw CommandError("nothing on the board '\(board.name)' is offered as \(type); see 'purvey list'")
        }
        if let position = Int(text) {
            guard items.indices.contains(position - 1) else {
                throw CommandError(
                    "the board '\(board.name)' has \(items.count) items, no item \(position); see 'purvey list'")
            }
            return items[position - 1]
        }
        guard let identifier = UUID(uuidString: text) else {
            throw UsageError("--item takes a position or an identifier, not '\(text)'")
        }
        guard let item = items.first(where: { $0.manifest.identifier == identifier }) else {
            throw CommandError("no item \(text) is offered on the board '\(board.name)'; see 'purvey list'")
        }
        return item
    }
}
