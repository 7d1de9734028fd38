import ItemValues

/// An item with a changed identifier.
package struct Reidentified: Sendable, Equatable {
    package var number: ItemNumber
    package var former: String
    package var identifier: String

    package init(number: ItemNumber, former: String, identifier: String) {
        self.number = number
        self.former = former
        self.identifier = identifier
    }
}

extension IndexWriter {
    /// Replaces the identifiers of known items by those that the provider now reports. Must be called before
    /// ``apply(_:listedIn:mark:)`` and ``remove(identifiers:)`` for the same reply.
    ///
    /// An item that is reported under an unknown identifier is treated as a known item
    ///
    /// - if it has the known item's name, and their directory got a new identifier and has not been listed since;
    /// - if it has the known item's name and contents, and the same reply reports the known item as gone.
    ///
    /// - Parameters:
    ///   - items: The reported items.
    ///   - gone: The identifiers that the reply reports as gone.
    /// - Returns: The items whose identifiers were replaced.
    package mutating func reidentify(
        _ items: [ProviderItem], gone: [String] = []
    ) throws(IndexError) -> [Reidentified] {
        guard !items.isEmpty, !state.reidentified.numbers.isEmpty || !gone.isEmpty else { return [] }
        var matching = Matching(state, items, gone: Set(texts: gone))
        return try matching.run()
    }

    /// Changes the identifier of the given item.
    package mutating func reidentify(_ number: ItemNumber, as identifier: String) throws(IndexError) {
        try update(number) { $0.item.identifier = identifier }
    }

    /// Records that the identifiers of the items in the given directory may have changed. The record stays until the
    /// directory is listed.
    ///
    /// - Parameter hasNewIdentifier: Whether the directory's own identifier has changed.
    package mutating func noteReidentified(_ folder: ItemNumber, hasNewIdentifier: Bool) throws(IndexError) {
        guard let identifier = try item(folder)?.item.identifier else { return }
        try state.reidentified.note(folder, hasNewIdentifier: hasNewIdentifier)
        // With an anchor only later changes would be requested, and the directory would not be listed.
        try setAnchor(nil, of: identifier)
        try setOutdated(true, identifier)
    }

    /// Deletes the record that ``noteReidentified(_:hasNewIdentifier:)`` made, because the provider does not have the
    /// directory.
    package mutating func forgetReidentified(_ folder: ItemNumber) throws(IndexError) {
        try state.reidentified.forget(folder)
    }

    /// Whether the given container is a directory that has not been listed since it got a new identifier. Its items may
    /// then have new identifiers, too.
    package func isReidentified(_ container: String) throws(IndexError) -> Bool {
        guard !state.reidentified.numbers.isEmpty, let row = try item(identifier: container) else { return false }
        return state.reidentified.numbers.contains(row.number)
    }

    /// Returns those of the given identifiers that belong to directories above at least one of the given items, at any
    /// depth.
    package func folders(
        above items: [Reidentified], among identifiers: Set<ExactText>
    ) throws(IndexError) -> Set<ExactText> {
        var found: Set<ExactText> = []
        for item in items {
            var row = try self.item(item.number)
            for _ in 0..<IndexedItem.mostAncestors {
                guard let current = row, current.number != .root else { break }
                row = try self.item(current.parent)
                if let folder = row?.item.identifier, identifiers.contains(folder) { found.insert(folder) }
            }
        }
        return found
    }

    /// Whether the item with the given identifier, which the provider does not recognize, may have a new identifier.
    /// This is possible if the item or a directory above it is being moved, or if a directory above it has a new
    /// identifier and was not listed since.
    ///
    /// - Parameter moving: The items whose place at the provider is unknown.
    package func mayBeElsewhere(_ identifier: String, moving: Set<ItemNumber>) throws(IndexError) -> Bool {
        guard !moving.isEmpty || !state.reidentified.numbers.isEmpty else { return false }
        var row = try item(identifier: identifier)
        // The parents that a provider reports may form a cycle.
        for _ in 0..<IndexedItem.mostAncestors {
            guard let current = row, current.number != .root else { return false }
            if moving.contains(current.number) { return true }
            row = try item(identifier: current.item.parent)
            if let row, state.reidentified.numbers.contains(row.number) { return true }
        }
        return false
    }
}

/// A search for known items that one reply of the provider reports under new identifiers.
private struct Matching {
    private struct Location: Hashable {
        let parent: ExactText
        let name: ExactText

        init(_ item: ProviderItem) {
            parent = ExactText(item.parent)
            name = ExactText(item.filename)
        }
    }

    private let state: WriterConnection
    private let gone: Set<ExactText>
    private var items: [ProviderItem]
    private let told: Set<ExactText>
    /// The items that were moved or removed locally, by their place at the provider.
    private var away: [Location: ItemNumber] = [:]
    private var result: [Reidentified] = []

    init(_ state: WriterConnection, _ items: [ProviderItem], gone: Set<ExactText>) {
        self.state = state
        self.items = items
        self.gone = gone
        told = Set(texts: items.lazy.map(\.identifier))
    }

    mutating func run() throws(IndexError) -> [Reidentified] {
        try freeReused()
        try dropKnown()
        guard !items.isEmpty else { return [] }
        // An item can be matched only after its directory, and a reply may have them in any order.
        var count = -1
        while count != result.count, !items.isEmpty {
            count = result.count
            try noteAway()
            try matchByPlace()
        }
        try matchByContents()
        return result
    }

    /// Takes the reported identifiers from known items for which they are outdated: another directory has the reported
    /// item, and the known item's directory got a new identifier and was not listed since. The identifiers are paths
    /// then, and the known item's is learnt when its directory is listed.
    private mutating func freeReused() throws(IndexError) {
        guard !state.reidentified.withNewIdentifier.isEmpty else { return }
        for item in items where !item.isInTrash {
            guard let number = try state.queries.number(identifier: item.identifier), number != .root,
                let row = try state.queries.item(number), row.isKnownToProvider,
                !row.item.parent.hasSameBytes(as: item.parent),
                let folder = try state.queries.number(identifier: row.item.parent),
                state.reidentified.withNewIdentifier.contains(folder)
            else { continue }
            try take(row, IndexedItem.stalePrefix + "\(number.rawValue)")
        }
    }

    private mutating func dropKnown() throws(IndexError) {
        var unknown: [ProviderItem] = []
        for item in items where !IndexedItem.isReserved(item.identifier) && !item.isInTrash {
            if try state.queries.number(identifier: item.identifier) == nil { unknown.append(item) }
        }
        items = unknown
    }

    private mutating func noteAway() throws(IndexError) {
        away = [:]
        for number in try state.changedNumbers() {
            guard let row = try state.queries.item(number), row.isKnownToProvider,
                !row.changes.isDisjoint(with: [.place, .deleted])
            else { continue }
            away[Location(row.item)] = number
        }
    }

    private mutating func matchByPlace() throws(IndexError) {
        var others: [ProviderItem] = []
        for item in items {
            if try !match(item) { others.append(item) }
        }
        items = others
    }

    private mutating func match(_ item: ProviderItem) throws(IndexError) -> Bool {
        guard let folder = try state.queries.number(identifier: item.parent) else { return false }
        var rows: [IndexedItem] = []
        if let row = try state.queries.item(named: MountName.mended(item.filename), in: folder) { rows.append(row) }
        if let number = away[Location(item)], let row = try state.queries.item(number) { rows.append(row) }
        let isReidentified = state.reidentified.numbers.contains(folder)
        for row in rows where isFree(row, item) && Location(row.item) == Location(item) {
            let isGone = gone.contains(row.item.identifier) && row.item.isSame(as: item)
            guard isReidentified || isGone else { continue }
            try take(row, item.identifier)
            return true
        }
        return false
    }

    /// Whether the known item `row` may be the reported item `item`: both have the same kind, and the reply does not
    /// contain the known item's identifier.
    private func isFree(_ row: IndexedItem, _ item: ProviderItem) -> Bool {
        row.number != .root && row.isKnownToProvider && row.item.kind == item.kind
            && !told.contains(row.item.identifier)
    }

    /// Matches files that disappeared from one directory with equal files that appeared in another. Both happen when
    /// another client renames a directory above them.
    private mutating func matchByContents() throws(IndexError) {
        var files: [Contents: [IndexedItem]] = [:]
        for identifier in gone {
            guard let number = try state.queries.number(identifier: identifier.string),
                let row = try state.queries.item(number),
                let contents = Contents(row.item)
            else { continue }
            files[contents, default: []].append(row)
        }
        guard !files.isEmpty else { return }
        let wanted = Dictionary(grouping: items) { Contents($0) }
        for (contents, items) in wanted {
            // Several files with equal properties cannot be distinguished.
            guard let contents, let rows = files[contents], let row = rows.first, rows.count == 1,
                let item = items.first, items.count == 1, isFree(row, item)
            else { continue }
            try take(row, item.identifier)
        }
    }

    private mutating func take(_ row: IndexedItem, _ identifier: String) throws(IndexError) {
        var after = row
        after.item.identifier = identifier
        try state.change(row, to: after)
        result.append(
            Reidentified(number: row.number, former: row.item.identifier, identifier: identifier))
    }

    /// The properties by which a file that was moved is recognized.
    private struct Contents: Hashable {
        let name: ExactText
        let version: [UInt8]
        let size: Int64
        let modified: Double

        init?(_ item: ProviderItem) {
            guard item.kind == .file, !item.contentVersion.isEmpty, let size = item.size, let modified = item.modified
            else { return nil }
            name = ExactText(item.filename)
            version = item.contentVersion
            self.size = size
            self.modified = modified
        }
    }
}

extension ProviderItem {
    /// Whether the given item has the same kind and the same contents as this one, as far as versions, sizes and dates
    /// were reported.
    package func isSame(as other: ProviderItem) -> Bool {
        guard kind == other.kind else { return false }
        return switch kind {
        case .file: contentVersion == other.contentVersion && size == other.size && modified == other.modified
        case .folder: true
        case .symbolicLink: hasTarget(of: other)
        }
    }
}
