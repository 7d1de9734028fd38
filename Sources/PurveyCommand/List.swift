import Exchange
import Foundation
import ItemProvider

extension Command {
    static let list = Command(
        name: "list", summary: "list the items that are offered on a board",
        usage: ["[--board B] [--json]"],
        options: [
            .value("board", "BOARD", "the board (shelf)"),
            .flag("json", "print JSON"),
        ]
    ) { arguments in
        guard arguments.operands.isEmpty else { throw UsageError("unexpected argument '\(arguments.operands[0])'") }
        let board = try ItemArgument.board(arguments)
        let items = try await board.remoteItems().map(\.manifest)
        if arguments.has("json") {
            let listed = items.enumerated().map { ListedItem(position: $0.offset + 1, $0.element) }
            try JSONOutput.print(listed)
        } else {
            if items.isEmpty { StandardError.note("nothing is offered on the board '\(board.name)'") }
            for (position, item) in items.enumerated() {
                var text = "\(position + 1)  \(item.identifier.uuidString)"
                if let name = item.name { text += "  " + OneLine.text(name) }
                text += "\n"
                for representation in item.representations {
                    let isInPlace = representation.fileOptions & NSItemProviderFileOptions.openInPlace.rawValue != 0
                    text += "   \(OneLine.text(representation.typeIdentifier))\(isInPlace ? "  (in place)" : "")\n"
                }
                try StandardOutput.print(text)
            }
        }
    }
}

/// An item in the JSON of `purvey list`.
private struct ListedItem: Encodable {
    let position: Int
    let identifier: String
    let name: String?
    /// The types in order of fidelity.
    let types: [String]
    let representations: [ListedRepresentation]

    struct ListedRepresentation: Encodable {
        let type: String
        let inPlace: Bool
        let visibility: String
    }

    init(position: Int, _ manifest: OfferManifest) {
        self.position = position
        identifier = manifest.identifier.uuidString
        name = manifest.name
        types = manifest.representations.map(\.typeIdentifier)
        representations = manifest.representations.map { representation in
            ListedRepresentation(
                type: representation.typeIdentifier,
                inPlace: representation.fileOptions & NSItemProviderFileOptions.openInPlace.rawValue != 0,
                visibility: Visibility(rawValue: representation.visibility)?.word ?? "unknown")
        }
    }

    private enum CodingKeys: CodingKey {
        case position, identifier, name, types, representations
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(position, forKey: .position)
        try container.encode(identifier, forKey: .identifier)
        // A missing name is encoded as null, so that scripts find every key.
        try container.encode(name, forKey: .name)
        try container.encode(types, forKey: .types)
        try container.encode(representations, forKey: .representations)
    }
}

extension Visibility {
    /// The name of the visibility on the command line.
    fileprivate var word: String {
        switch self {
        case .all: "all"
        case .team: "team"
        case .group: "group"
        case .ownProcess: "process"
        }
    }
}
