import Exchange
import Foundation
import ItemProvider
import LinuxSystem

extension Command {
    static let paste = Command(
        name: "paste", summary: "print or store the contents of the pasteboard",
        usage: ["[--type T] [-o PATH] [--force]"],
        options: [
            .value("type", "TYPE", "the first representation of this type (the best)"),
            .value("o", "PATH", "the destination; in a folder, the item has its own name (standard output)"),
            .flag("force", "in a folder, replace a file of that name"),
        ],
        discussion: """
            Several items are written to standard output one after the other. With -o, PATH must be a folder for them.
            If the name of an item is taken in the folder, a number is added. If it is that of a hidden file, a _ is put
            in front. With --force, the name stays, and a file of that name is replaced. Items of the same name never
            replace each other.
            """
    ) { arguments in
        guard arguments.operands.isEmpty else { throw UsageError("unexpected argument '\(arguments.operands[0])'") }
        let type = try arguments.value("type").map { try ItemArgument.typeIdentifier($0) }
        if arguments.value("o") == "" { throw UsageError("the path after -o is empty") }
        let items = try await Board.general.remoteItems()
        guard !items.isEmpty else { throw CommandError("the pasteboard is empty") }
        let path = arguments.value("o").flatMap { $0 == "-" ? nil : $0 }
        if let path, items.count > 1, (try? FileStatus.of(path).kind) != .directory {
            throw CommandError("the pasteboard has \(items.count) items: \(path) has to be a folder")
        }
        var replacement = Replacement(ownName: arguments.has("force"))
        var isEmpty = path == nil
        for item in items {
            let provider = item.makeProvider()
            if let path {
                let outcome = try await CommandLineLoad.run(
                    provider, type: type, as: .copy, to: .path(path), replacing: replacement)
                if let path = outcome.path { replacement.except.insert(try FileStatus.of(path).identity) }
            } else {
                let outcome = try await CommandLineLoad.run(provider, type: type, as: .data, to: .standardOutput)
                isEmpty = isEmpty && outcome.isEmpty
            }
        }
        if isEmpty {
            StandardError.note(
                "the \(items.count == 1 ? "item on the pasteboard is" : "items on the pasteboard are") empty")
        }
    }
}
