import DomainMessages
import LinuxSystem

extension Command {
    static let trash = Command(
        name: "trash", summary: "move items to their service's trash, list it, or empty it",
        usage: ["[--json]", "[--yes] PATH…", "[--yes] --empty DOMAIN[:NAME]…"],
        options: [
            .flag("json", "print JSON"),
            .flag("empty", "delete all items in the trash of DOMAIN, or the item NAME"), Alerts.option,
        ],
        discussion: """
            PATH is a path in a mount, or DOMAIN:PATH, which needs no mount. A folder is moved with everything in it.

            Without a PATH, the trash of all services is listed, with the names that 'purvey untrash' takes. --empty
            deletes exactly these items, and no others that the service may have. The items cannot be restored.

            You are only asked if the provider requires it. Without a terminal to ask on, nothing is changed.
            """
    ) { arguments in
        if arguments.has("empty") { return try await empty(arguments) }
        if !arguments.operands.isEmpty {
            if arguments.has("json") { throw UsageError("--json goes with the list") }
            try await Alerts.confirm(
                FindAlertsCall(.trash, items: arguments.operands.map(DomainClient.place)),
                isConfirmed: arguments.has("yes"))
            return try await each("trash", arguments.operands, once: true) {
                TrashItemCall(place: DomainClient.place($0))
            }
        }
        let items = try await DomainClient.call(TrashedItemsCall()).items
        if arguments.has("json") { return try JSONOutput.print(items.map(ListedTrashedItem.init)) }
        if items.isEmpty { StandardError.note("there is nothing in the trash of any service") }
        for item in items { try StandardOutput.print(OneLine.text("\(item.domain):\(item.name)") + "\n") }
    }

    private static func empty(_ arguments: Arguments) async throws {
        if arguments.has("json") { throw UsageError("--json goes with the list") }
        if arguments.operands.isEmpty { throw UsageError("--empty takes the name of a domain") }
        let deletions = try arguments.operands.map(deletion)
        try await Alerts.confirm(FindAlertsCall(.delete, deletions: deletions), isConfirmed: arguments.has("yes"))
        try await each("trash", arguments.operands, once: true, deletion)
    }

    /// Returns the request to delete the items that the given word names.
    @Sendable private static func deletion(_ word: String) throws -> EmptyTrashCall {
        guard let colon = word.firstColon else { return EmptyTrashCall(domain: word, item: nil) }
        let item = word[word.utf8.index(after: colon)...]
        // An empty name is a mistake. It must not empty the whole trash.
        if item.isEmpty { throw UsageError("'\(word)' names no item in a trash: write DOMAIN, or DOMAIN:NAME") }
        return EmptyTrashCall(domain: String(word[..<colon]), item: String(item))
    }

    static let untrash = Command(
        name: "untrash", summary: "restore items from a service's trash", usage: ["DOMAIN:NAME…"],
        options: [],
        discussion: """
            NAME is the name that 'purvey trash' shows, or the identifier that 'purvey trash --json' shows. If the
            former folder does not exist any more, the service chooses another one.
            """
    ) { arguments in
        try await each("untrash", arguments.operands, once: true) { word in
            guard let colon = word.firstColon, colon != word.startIndex else {
                throw UsageError("'\(word)' names no item in a trash: write DOMAIN:NAME")
            }
            return UntrashItemCall(domain: String(word[..<colon]), item: String(word[word.utf8.index(after: colon)...]))
        }
    }
}

/// An item in the JSON of `purvey trash`.
private struct ListedTrashedItem: Encodable {
    let domain: String
    let name: String
    let identifier: String
    let kind: String

    init(_ item: TrashedItem) {
        domain = item.domain
        name = item.name
        identifier = item.identifier
        kind = item.kind.word
    }
}
