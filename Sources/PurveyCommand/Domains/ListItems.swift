import DomainMessages
import Foundation
import ItemValues

/// The help on arguments that are items.
private let placeWords = "PATH is a path in a mount, or DOMAIN:PATH, which needs no mount."

extension Command {
    static let listItems = Command(
        name: "ls", summary: "list the items of a folder of a service, with their states",
        usage: ["[--json] PATH"], options: [.flag("json", "print JSON")], discussion: placeWords
    ) { arguments in
        let place = DomainClient.place(try oneOperand(arguments))
        var position: Int64?
        var items: [ItemDescription] = []
        repeat {
            let part = try await DomainClient.call(ListFolderCall(place: place, position: position))
            items += part.items
            position = part.next
        } while position != nil
        items.sort { $0.name < $1.name }
        if arguments.has("json") { return try JSONOutput.print(items.map(ListedItemState.init)) }
        if items.isEmpty {
            // The operand for a domain's root is the domain's name and a colon. The message has the name alone.
            let isRoot = place.text.hasSuffix(":") && !place.text.contains("/")
            StandardError.note("\(isRoot ? String(place.text.dropLast()) : place.text) is empty")
        }
        var output = StandardOutput()
        for item in items { try output.write(item.line + "\n") }
        try output.flush()
    }

    static let describeItem = Command(
        name: "stat", summary: "show one item of a service, with its state",
        usage: ["[--json] PATH"], options: [.flag("json", "print JSON")], discussion: placeWords
    ) { arguments in
        let item = try await DomainClient.call(
            DescribeItemCall(place: DomainClient.place(try oneOperand(arguments))))
        if arguments.has("json") { return try JSONOutput.print(ListedItemState(item)) }
        let rows: [(String, String?)] = [
            ("name", item.name), ("kind", item.kind.word), ("type", item.contentType),
            ("size", item.size.map { "\($0)" }), ("modified", item.modified.map(ListedItemState.date)),
            ("state", item.state.word),
            ("kept", item.isPinned ? item.isPinnedByFolder ? "with its folder" : "yes" : "no"),
            ("target", item.target),
            ("identifier", item.identifier), ("uploading", item.uploadProgress), ("error", item.fault?.message),
            ("suggestion", item.fault?.suggestion),
        ]
        for case (let word, let value?) in rows where !value.isEmpty {
            let padding = String(repeating: " ", count: 12 - word.count)
            try StandardOutput.print(word + padding + OneLine.text(value) + "\n")
        }
    }

    private static func oneOperand(_ arguments: Arguments) throws -> String {
        guard let first = arguments.operands.first else { throw UsageError("a path is missing") }
        guard arguments.operands.count == 1 else { throw UsageError("unexpected argument '\(arguments.operands[1])'") }
        return first
    }
}

extension ItemDescription {
    /// The item's line in the list that users read: state, size, date and name.
    fileprivate var line: String {
        let word = kind == .folder && state == .current ? "folder" : state.word
        let size = kind == .file ? self.size.map { "\($0)" } ?? "?" : "-"
        let date = modified.map(ListedItemState.date) ?? "-"
        let columns = [(word, 10), (size, 12), (date, 22)].map { text, width in
            text + String(repeating: " ", count: max(0, width - text.count))
        }
        let ending = [kind == .folder ? "/" : "", target.map { " -> " + OneLine.text($0) } ?? ""].joined()
        return columns.joined() + OneLine.text(name) + ending + (isPinned ? "  (kept)" : "")
    }
}

extension ItemDescription {
    /// A text such as "12 of 34 bytes" while the provider reports the progress of an upload; otherwise `nil`.
    fileprivate var uploadProgress: String? { isUploading && total > 0 ? "\(sent) of \(total) bytes" : nil }
}

extension ItemFault.Kind {
    /// The name of the kind on the command line.
    fileprivate var word: String {
        switch self {
        case .transient: "transient"
        case .persistent: "persistent"
        case .authentication: "authentication"
        }
    }
}

/// An item in the JSON of `purvey ls` and `purvey stat`.
struct ListedItemState: Encodable {
    private let item: ItemDescription

    init(_ item: ItemDescription) { self.item = item }

    private enum CodingKeys: CodingKey {
        case name, identifier, kind, type, size, modified, state, kept, keptByFolder, error, errorKind, suggestion,
            target
        case isUploaded, isUploading, sent, total
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(item.name, forKey: .name)
        try container.encode(item.identifier, forKey: .identifier)
        try container.encode(item.kind.word, forKey: .kind)
        try container.encode(item.state.word, forKey: .state)
        try container.encode(item.isPinned, forKey: .kept)
        try container.encode(item.isPinnedByFolder, forKey: .keptByFolder)
        // Missing values are encoded as null, so that scripts find every key.
        try container.encode(item.contentType.isEmpty ? nil : item.contentType, forKey: .type)
        try container.encode(item.size, forKey: .size)
        try container.encode(item.modified.map(Self.date), forKey: .modified)
        try container.encode(item.fault?.message, forKey: .error)
        try container.encode(item.fault?.kind.word, forKey: .errorKind)
        try container.encode(item.fault?.suggestion, forKey: .suggestion)
        try container.encode(item.isUploaded, forKey: .isUploaded)
        try container.encode(item.isUploading, forKey: .isUploading)
        try container.encode(item.total > 0 ? item.sent : nil, forKey: .sent)
        try container.encode(item.total > 0 ? item.total : nil, forKey: .total)
        try container.encode(item.target, forKey: .target)
    }

    /// Returns a date in ISO 8601, in UTC.
    static func date(_ seconds: Double) -> String {
        // Only years of four digits can be written. The date comes from the provider and may have any value.
        guard seconds > -62_135_596_800, seconds < 253_402_300_800 else { return "-" }
        return Date(timeIntervalSince1970: seconds).formatted(.iso8601)
    }
}
