/// The conditions of a search in a domain. An item must meet all of them.
package struct SearchQuery: Sendable, Equatable {
    /// Parts of the name, compared without regard to case and accents. The name must contain all of them. A part of one
    /// or two characters must be at the beginning of a word in the name.
    package var words: [String] = []
    /// Identifiers of types. The item's type must be one of these types, or conform to one of them; any type if empty.
    package var types: [String] = []
    /// Tags that the item must have, compared without regard to case and accents.
    package var tags: [String] = []
    /// The range of the modification date, in seconds since 1970: from `since`, inclusive, to `before`, exclusive.
    /// `nil` for no limit.
    package var since: Double?
    package var before: Double?
    /// The maximum number of results.
    package var limit = 100

    package init(words: [String] = []) { self.words = words }

    var isEmpty: Bool {
        words.allSatisfy { SearchTerm($0) == nil } && types.isEmpty && tags.isEmpty && since == nil && before == nil
    }
}

/// Collects the items that match a query.
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

    /// The ratio of collected items to wanted items. More items than wanted are collected, so that the best of them can
    /// be chosen.
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

    /// Examines the item with the given number, which may match.
    mutating func look(at number: ItemNumber) throws(IndexError) {
        guard !isFull, !seen.contains(number) else { return }
        // The row must be released before other rows are read.
        guard let fit = try queries.withRow(number, { row throws(IndexError) in try fitting(row) }) ?? nil else {
            return
        }
        try take(fit.item, fit.quality)
    }

    /// Examines a row that the caller has read with a statement of its own.
    mutating func look(at row: IndexQueries.Row) throws(IndexError) {
        guard !isFull, !seen.contains(row.number), let fit = try fitting(row) else { return }
        try take(fit.item, fit.quality)
    }

    /// Returns the item of the given row, and how well its name matches; `nil` if the name or the date does not match.
    private func fitting(_ row: IndexQueries.Row) throws(IndexError) -> (item: IndexedItem, quality: Int)? {
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

    private func isOfWantedTime(_ row: IndexQueries.Row) throws(IndexError) -> Bool {
        guard query.since != nil || query.before != nil else { return true }
        guard let modified = try PackedItem.modified(row.bytes) else { return false }
        return modified >= query.since ?? -.infinity && modified < query.before ?? .infinity
    }

    private mutating func take(_ item: IndexedItem, _ quality: Int) throws(IndexError) {
        if !types.isEmpty, !types.contains(SearchWords(item).type) { return }
        guard let place = try index.found(item, queries, &paths) else { return }
        if !tags.isEmpty, !tags.isSubset(of: place.metadata.tags.map { FoldedText.scalars(of: $0) }) { return }
        seen.insert(item.number)
        found.append((place, quality))
    }

    /// Returns the best of the collected items, the best first. Items are compared by how well the name matches, then
    /// by the date of the last use or modification.
    func best() -> [FoundItem] {
        func date(_ item: FoundItem) -> Double { item.metadata.lastUsed ?? SearchWords.modified(item.item) ?? 0 }
        let sorted = found.sorted { one, other in
            if one.quality != other.quality { return one.quality > other.quality }
            let (date, otherDate) = (date(one.item), date(other.item))
            return date != otherDate
                ? date > otherDate : one.item.item.number.rawValue < other.item.item.number.rawValue
        }
        return sorted.prefix(query.limit).map(\.item)
    }
}
