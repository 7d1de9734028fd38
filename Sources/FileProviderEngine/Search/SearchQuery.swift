/// What is looked for in a domain. All of it has to be true of an item.
package struct SearchQuery: Sendable, Equatable {
    /// Each is a part of the name, without regard to case and accents. Of one or two characters, the beginning of a word in it.
    package var words: [String] = []
    /// Identifiers of types, of which the item's is one, or conforms to one.
    package var types: [String] = []
    /// Tags that it has, without regard to case and accents.
    package var tags: [String] = []
    /// When it was modified: not before this, and before that; seconds since 1970.
    package var since: Double?
    package var before: Double?
    /// The most that are found.
    package var limit = 100

    package init(words: [String] = []) { self.words = words }

    var isEmpty: Bool {
        words.allSatisfy { SearchTerm($0) == nil } && types.isEmpty && tags.isEmpty && since == nil && before == nil
    }
}

/// Gathers what a query is about from items that may be it.
struct SearchCollector {
    private let index: Index
    private let queries: IndexQueries
    private let terms: [SearchTerm]
    private let tags: Set<[UInt32]>
    private let query: SearchQuery
    private var types: WantedTypes
    private var paths = ShownPaths()
    private var seen: Set<ItemNumber> = []
    private var found: [(item: FoundItem, quality: Int)] = []

    /// So many times what is wanted is gathered, so that the best of it can be told.
    private static let factor = 4
    private static let most = 1000

    init(_ query: SearchQuery, _ index: Index, _ queries: IndexQueries) {
        self.query = query
        self.index = index
        self.queries = queries
        terms = query.words.compactMap { SearchTerm($0) }
        tags = Set(query.tags.map { FoldedText.scalars(of: $0) })
        types = WantedTypes(query.types)
    }

    var isFull: Bool { found.count >= max(query.limit, min(query.limit * Self.factor, Self.most)) }

    /// Looks at an item that may be it.
    mutating func look(at number: ItemNumber) throws(IndexFailure) {
        guard !isFull, !seen.contains(number) else { return }
        // The row has to be done with before others are looked at.
        guard let fit = try queries.withRow(number, { row throws(IndexFailure) in try fitting(row) }) ?? nil else {
            return
        }
        try take(fit.item, fit.quality)
    }

    /// Looks at a row that is read with a statement of its own.
    mutating func look(at row: IndexQueries.Row) throws(IndexFailure) {
        guard !isFull, !seen.contains(row.number), let fit = try fitting(row) else { return }
        try take(fit.item, fit.quality)
    }

    /// The item of a row whose name fits.
    private func fitting(_ row: IndexQueries.Row) throws(IndexFailure) -> (item: IndexedItem, quality: Int)? {
        guard row.isShown, row.number != .root, try isOfWantedTime(row) else { return nil }
        var quality = 0
        if !terms.isEmpty {
            let name = FoldedText.scalars(of: String(decoding: try PackedItem.key(row.bytes).name, as: UTF8.self))
            for term in terms {
                guard let one = term.quality(in: name) else { return nil }
                quality += one
            }
        }
        return (try row.item(), quality)
    }

    private func isOfWantedTime(_ row: IndexQueries.Row) throws(IndexFailure) -> Bool {
        guard query.since != nil || query.before != nil else { return true }
        guard let modified = try PackedItem.modified(row.bytes) else { return false }
        return modified >= query.since ?? -.infinity && modified < query.before ?? .infinity
    }

    private mutating func take(_ item: IndexedItem, _ quality: Int) throws(IndexFailure) {
        if !types.isEmpty, !types.contains(SearchWords(item).type) { return }
        guard let place = try index.found(item, queries, &paths) else { return }
        if !tags.isEmpty, !tags.isSubset(of: place.facts.tags.map { FoldedText.scalars(of: $0) }) { return }
        seen.insert(item.number)
        found.append((place, quality))
    }

    /// The best, the best first: by how well the name fits, then by when it was used or modified last.
    func best() -> [FoundItem] {
        func date(_ item: FoundItem) -> Double { item.facts.lastUsed ?? SearchWords.modified(item.item) ?? 0 }
        let sorted = found.sorted { one, other in
            if one.quality != other.quality { return one.quality > other.quality }
            let (date, otherDate) = (date(one.item), date(other.item))
            return date != otherDate
                ? date > otherDate : one.item.item.number.rawValue < other.item.item.number.rawValue
        }
        return sorted.prefix(query.limit).map(\.item)
    }
}
