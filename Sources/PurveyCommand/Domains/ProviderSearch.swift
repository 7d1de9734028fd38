import DomainMessages
import FileProviderWire

extension Command {
    /// Runs `purvey search --provider`, which makes the services search their own data.
    static func searchProviders(_ arguments: Arguments) async throws {
        let others = ["type", "tag", "since", "before"].filter { arguments.has($0) }
        if let other = others.first { throw UsageError("--\(other) cannot be used with --provider") }
        let query = arguments.operands.joined(separator: " ")
        guard !query.allSatisfy(\.isWhitespace) else { throw UsageError("--provider needs the words to search for") }
        let call = SearchProvidersCall(
            domain: arguments.value("domain"), query: query, limit: try limit(arguments, standard: 100))
        let bar = ProgressBar()
        bar.show()
        let found: SearchProvidersCall.Reply
        do {
            found = try await DomainClient.call(call) { completed, total in
                if total > 0 { bar.report(Double(completed) / Double(total)) }
            }
            bar.end()
        } catch {
            bar.end()
            throw error
        }
        if arguments.has("json") {
            try JSONOutput.print(found.items.map(ListedProvidedItem.init))
        } else {
            // Faults are printed below.
            if found.items.isEmpty, found.faults.isEmpty { StandardError.note("no service has found anything") }
            var output = StandardOutput()
            for item in found.items { try output.write(item.line + "\n") }
            try output.flush()
        }
        for fault in found.faults.dropLast() { StandardError.complain("search: \(OneLine.text(fault))") }
        if let last = found.faults.last { throw CommandError(last) }
    }
}

extension ProvidedItemDescription {
    /// The item's line in the list that users read.
    fileprivate var line: String {
        if let path { return OneLine.text(mountedPath ?? domain + ":" + path) }
        return OneLine.text(domain) + ": " + OneLine.text(result.filename) + "  " + OneLine.text(result.identifier)
    }
}

/// An item in the JSON of `purvey search --provider`.
private struct ListedProvidedItem: Encodable {
    private let found: ProvidedItemDescription

    init(_ found: ProvidedItemDescription) { self.found = found }

    private enum CodingKeys: CodingKey {
        case domain, path, mountedPath, name, identifier, type, size, created, modified, lastUsed
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        let result = found.result
        try container.encode(found.domain, forKey: .domain)
        try container.encode(result.filename, forKey: .name)
        try container.encode(result.identifier, forKey: .identifier)
        // Missing values are encoded as null, so that scripts find every key.
        try container.encode(found.path, forKey: .path)
        try container.encode(found.mountedPath, forKey: .mountedPath)
        try container.encode(result.contentType.isEmpty ? nil : result.contentType, forKey: .type)
        try container.encode(result.size, forKey: .size)
        try container.encode(result.created.map(ListedItemState.date), forKey: .created)
        try container.encode(result.modified.map(ListedItemState.date), forKey: .modified)
        try container.encode(result.lastUsed.map(ListedItemState.date), forKey: .lastUsed)
    }
}
