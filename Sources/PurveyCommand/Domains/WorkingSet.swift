import DomainMessages
import Foundation
import ItemValues
import LinuxSystem
import UniformTypeIdentifiers

/// The help on arguments that are items.
private let placeWords = "PATH is a path in a mount, or DOMAIN:PATH, which needs no mount."

extension Command {
    static let recents = Command(
        name: "recents", summary: "list the files of all services that were used last", usage: ["[--json] [--limit N]"],
        options: [.flag("json", "print JSON"), .value("limit", "N", "at most so many (50)")],
        discussion: "The list is made on this machine, and works offline."
    ) { arguments in
        if let extra = arguments.operands.first { throw UsageError("unexpected argument '\(extra)'") }
        let found = try await DomainClient.call(RecentsCall(limit: try limit(arguments, standard: 50)))
        try show(found.items, arguments, orNote: "no file of a service was used yet") { item in
            [item.lastUsed.map(ListedFoundItem.date) ?? "-", OneLine.text(item.place)]
        }
    }

    static let favorites = Command(
        name: "favorites", summary: "list, add and remove favorites of all services, in their order",
        usage: ["[--json]", "add PATH…", "remove PATH…"], options: [.flag("json", "print JSON")],
        discussion: placeWords
    ) { arguments in
        let operands = arguments.operands
        switch (operands.first, operands.count) {
        case (nil, _):
            let found = try await DomainClient.call(FavoritesCall())
            try show(found.items, arguments, orNote: "there are no favorites") { [OneLine.text($0.place)] }
        case ("add", 2...), ("remove", 2...):
            if arguments.has("json") { throw UsageError("--json goes with the list") }
            try await each("favorites", Array(operands.dropFirst())) {
                SetFavoriteCall(place: DomainClient.place($0), isFavorite: operands[0] == "add")
            }
        case ("add", _), ("remove", _): throw UsageError("a path is missing")
        case (let word?, _):
            throw UsageError(about: word, "there is no 'favorites \(word)'", known: ["add", "remove"], listing: true)
        }
    }

    static let tag = Command(
        name: "tag", summary: "show, add and remove the tags of an item",
        usage: ["[--json] PATH [TAG…]", "--remove PATH TAG…"],
        options: [.flag("json", "print JSON"), .flag("remove", "remove the tags")],
        discussion: placeWords + "\n\nA tag has no comma. Prints the tags that the item then has, one on each line."
    ) { arguments in
        guard let path = arguments.operands.first else { throw UsageError("a path is missing") }
        let tags = Array(arguments.operands.dropFirst())
        let isRemoval = arguments.has("remove")
        if isRemoval, tags.isEmpty { throw UsageError("give the tags to remove") }
        if let fault = tags.lazy.compactMap({ TagList.fault(of: $0) }).first { throw CommandError(fault) }
        let reply = try await DomainClient.call(
            TagItemCall(
                place: DomainClient.place(path), added: isRemoval ? [] : tags, removed: isRemoval ? tags : []))
        if arguments.has("json") { return try JSONOutput.print(reply.tags) }
        if reply.tags.isEmpty { StandardError.note("\(path) has no tags") }
        for tag in reply.tags { try StandardOutput.print(OneLine.text(tag) + "\n") }
    }

    static let search = Command(
        name: "search", summary: "find items of all services by name, type, tag and date",
        usage: ["[--json] [OPTION…] [WORD…]", "--provider [--json] [--domain DOMAIN] [--limit N] WORD…"],
        options: [
            .flag("json", "print JSON"), .value("type", "T", "of this type: an identifier, or an extension"),
            .value("tag", "TAG", "with this tag; if several are given, with all of them"),
            .value("since", "DATE", "modified on this day or later (2026-01-31)"),
            .value("before", "DATE", "modified before this day"),
            .value("domain", "DOMAIN", "in this domain only"), .value("limit", "N", "at most so many (100)"),
            .flag("provider", "search at the services"),
        ],
        discussion: """
            Each WORD is a part of the name, without regard to case and accents. A WORD of one or two characters is the
            beginning of a word in the name. The search covers the items that are known on this machine, and works
            offline. Folders that were never opened are not covered.

            With --provider, the services search, if their providers support that. The service decides what the words
            mean. A result is printed with its path. If it is not known on this machine, it is printed with domain, name
            and identifier.
            """
    ) { arguments in
        if arguments.has("provider") { return try await searchProviders(arguments) }
        let types = try arguments.values("type").map { word in (word, try type(word)) }
        let call = SearchCall(
            domain: arguments.value("domain"), words: arguments.operands,
            types: types.map(\.1.identifier), tags: arguments.values("tag"),
            since: try arguments.value("since").map(day), before: try arguments.value("before").map(day),
            limit: try limit(arguments, standard: 100))
        let isWanted = call.words.contains { !$0.allSatisfy(\.isWhitespace) }
        guard isWanted || !call.types.isEmpty || !call.tags.isEmpty || call.since != nil || call.before != nil else {
            throw UsageError("the search needs a word, --type, --tag, --since or --before")
        }
        let found = try await DomainClient.call(call)
        // Files may have an undeclared filename extension. If no file is found, the word is reported as a mistake.
        if found.items.isEmpty, let unknown = types.first(where: { !$0.1.isDeclared })?.0 { throw noType(unknown) }
        try show(found.items, arguments, orNote: "nothing that is known on this machine fits") {
            [OneLine.text($0.place)]
        }
    }

    static let push = Command(
        name: "push", summary: "deliver a service's push message (JSON on standard input)", usage: [""], options: [],
        discussion: """
            The payload is an object with "container-identifier", the identifier of a container that has changed, and
            "domain", the identifier or name of the domain. Instead of "domain", it may have "topic", the extension's
            identifier with ".pushkit.fileprovider". The changes of the container are then enumerated.
            """
    ) { arguments in
        if let extra = arguments.operands.first { throw UsageError("unexpected argument '\(extra)'") }
        let payload = try PushPayload(try PushPayload.read())
        _ = try await DomainClient.call(
            PushCall(container: payload.container, domain: payload.domain, topic: payload.topic))
    }

    // MARK: Arguments

    static func limit(_ arguments: Arguments, standard: Int) throws -> Int {
        guard let text = arguments.value("limit") else { return standard }
        guard let number = Int(text), number > 0 else { throw UsageError("--limit needs a number from 1 on") }
        return number
    }

    /// Returns the type with the given identifier or filename extension. The type need not be declared.
    private static func type(_ word: String) throws -> UTType {
        let suffix = word.hasPrefix(".") ? String(word.dropFirst()) : word
        guard let type = UTType(word) ?? UTType(filenameExtension: suffix) else { throw noType(word) }
        return type
    }

    private static func noType(_ word: String) -> CommandError { CommandError("there is no type '\(word)'") }

    /// Returns the beginning of a day in this machine's time zone, in seconds since 1970.
    private static func day(_ word: String) throws -> Double {
        let parts = word.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .current
        guard parts.count == 3, let year = parts[0], let month = parts[1], let day = parts[2],
            (1...9999).contains(year), (1...12).contains(month), (1...31).contains(day),
            let date = calendar.date(from: DateComponents(year: year, month: month, day: day)),
            calendar.component(.day, from: date) == day
        else { throw UsageError("'\(word)' is not a day: write it like 2026-01-31") }
        return date.timeIntervalSince1970
    }

    // MARK: Output

    private static func show(
        _ items: [FoundItemDescription], _ arguments: Arguments, orNote note: String,
        _ columns: (FoundItemDescription) -> [String]
    ) throws {
        if arguments.has("json") { return try JSONOutput.print(items.map(ListedFoundItem.init)) }
        if items.isEmpty { StandardError.note(note) }
        var output = StandardOutput()
        for item in items { try output.write(columns(item).joined(separator: "  ") + "\n") }
        try output.flush()
    }
}

extension FoundItemDescription {
    /// The argument that other commands accept for the item.
    fileprivate var place: String { mountedPath ?? domain + ":" + path }
}

/// An item in the JSON of `purvey recents`, `favorites` and `search`.
private struct ListedFoundItem: Encodable {
    private let found: FoundItemDescription

    init(_ found: FoundItemDescription) { self.found = found }

    private enum CodingKeys: CodingKey {
        case domain, path, mountedPath, name, identifier, kind, type, size, modified, state, lastUsed, favorite, tags
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        let item = found.item
        try container.encode(found.domain, forKey: .domain)
        try container.encode(found.path, forKey: .path)
        try container.encode(item.name, forKey: .name)
        try container.encode(item.identifier, forKey: .identifier)
        try container.encode(item.kind.word, forKey: .kind)
        try container.encode(item.state.word, forKey: .state)
        try container.encode(found.favoriteRank != nil, forKey: .favorite)
        try container.encode(found.tags, forKey: .tags)
        // Missing values are encoded as null, so that scripts find every key.
        try container.encode(found.mountedPath, forKey: .mountedPath)
        try container.encode(item.contentType.isEmpty ? nil : item.contentType, forKey: .type)
        try container.encode(item.size, forKey: .size)
        try container.encode(item.modified.map(Self.date), forKey: .modified)
        try container.encode(found.lastUsed.map(Self.date), forKey: .lastUsed)
    }

    static func date(_ seconds: Double) -> String { ListedItemState.date(seconds) }
}
