import LinuxSystem

/// Searches for items by words, types, tags and dates.
///
/// The words are in a file beside the index. A separate thread updates the file when the index has not changed for a
/// while. Items that are not in the file yet are examined one by one, so results are always correct. A damaged or lost
/// file is rebuilt.
package final class SearchIndex: Sendable {
    private let index: Index
    private let reader: SearchReader
    private let builder: SearchBuilder

    /// Creates a search of the given index.
    ///
    /// - Parameter path: The path of the search file, which need not exist.
    package init(_ index: Index, path: String) {
        self.index = index
        reader = SearchReader(path: path, identity: index.identity)
        builder = SearchBuilder(index, reader, path: path)
    }

    deinit { builder.stop() }

    /// Schedules an update of the search file after a change of the index. The update begins when the index has not
    /// changed for a while.
    package func noteChanges() { builder.wake() }

    /// Updates the search file so that it covers all items of the index. Blocks until the update is complete or has
    /// failed.
    package func catchUp() { builder.catchUp() }

    /// Whether the search file covers all items of the index, so that a search need not examine items one by one.
    package func isCaughtUp() throws(IndexError) -> Bool {
        let last = try reader.withFile { file throws(IndexError) in try file?.lastNumber() }
        guard let last, try index.renamed(limit: 1).numbers.isEmpty else { return false }
        return try index.words(after: last, limit: 1).last == nil
    }

    /// Whether the search file can exclude items that do not match the query. Otherwise a search examines each item.
    package func isNarrow(_ query: SearchQuery) throws(IndexError) -> Bool {
        try reader.withFile { file throws(IndexError) in
            try file?.candidates(query) { (_) throws(IndexError) in false } ?? false
        }
    }

    /// Ends the thread that updates the file. The next process adds the items that the file lacks.
    package func close() { builder.stop() }

    /// Returns the items that match the query, the best first. Blocks for milliseconds, or longer if every item must be
    /// examined.
    package func search(_ query: SearchQuery) throws(IndexError) -> [FoundItem] {
        guard !query.isEmpty, query.limit > 0 else { return [] }
        if !query.tags.isEmpty {
            return try index.search(query) { collector throws(IndexError) in
                for number in try index.tagged(query.tags) where !collector.isFull { try collector.look(at: number) }
            }
        }
        do throws(IndexError) {
            return try reader.withFile { file throws(IndexError) in try search(query, file) }
        } catch .corrupt {
            builder.wake(toReplace: true)
            return try index.search(query) { collector throws(IndexError) in
                try index.lookThrough(after: ItemNumber(rawValue: 0), &collector)
            }
        }
    }

    private func search(_ query: SearchQuery, _ file: SearchFile?) throws(IndexError) -> [FoundItem] {
        try index.search(query) { collector throws(IndexError) in
            // Read the last number before the recorded changes. An item that is added to the file meanwhile is then
            // examined twice, and not missed.
            let last = try file?.lastNumber() ?? ItemNumber(rawValue: 0)
            for number in try index.renamed(limit: .max).numbers { try collector.look(at: number) }
            try index.lookThrough(after: last, &collector)
            guard !collector.isFull, let file else { return }
            let isNarrow = try file.candidates(query) { number throws(IndexError) in
                try collector.look(at: number)
                return !collector.isFull
            }
            if !isNarrow { try index.lookThrough(after: ItemNumber(rawValue: 0), &collector) }
        }
    }
}

/// The connection to the search file on which queries run.
final class SearchReader: Sendable {
    private let path: String
    private let identity: Int64
    // Held during a query. Taken before the index's own locks.
    private let state = Lock(State(file: nil))

    /// It is `Sendable` because it is only used while the lock is held.
    private struct State: @unchecked Sendable {
        var file: SearchFile?
    }

    init(path: String, identity: Int64) {
        self.path = path
        self.identity = identity
    }

    /// Calls `body` with the search file, or with `nil` if there is none for this index. Only one call runs at a time.
    func withFile<Answer: Sendable>(
        _ body: (SearchFile?) throws(IndexError) -> Answer
    ) throws(IndexError) -> Answer {
        let result = state.withLock { state in
            Result { () throws(IndexError) in
                if state.file == nil, (try? FileStatus.of(path)) != nil {
                    state.file = try? SearchFile(reading: path, identity: identity)
                }
                return try body(state.file)
            }
        }
        return try result.get()
    }

    /// Deletes the search file. Closes the connection first: when SQLite closes a connection to a deleted file, it may
    /// delete auxiliary files of the new file at the same path.
    func remove() throws(IndexError) {
        let result = state.withLock { state in
            state.file = nil
            return Result { () throws(Errno) in try Index.delete(path: path) }
        }
        do throws(Errno) { try result.get() } catch { throw .system("\(path): \(error)") }
    }
}

extension Index {
    /// A number that identifies this index. In another index, the same item numbers denote other items.
    var identity: Int64 { Int64(bitPattern: hash.first) }

    fileprivate func search(
        _ query: SearchQuery, _ body: (inout SearchCollector) throws(IndexError) -> Void
    ) throws(IndexError) -> [FoundItem] {
        try read { queries throws(IndexError) in
            // Thousands of items may be examined. Without a common transaction, each of these reads would lock the
            // file.
            try queries.connection.reading { () throws(IndexError) in
                var collector = SearchCollector(query, self, queries)
                try body(&collector)
                return collector.best()
            }
        }
    }

    /// Examines the items with numbers greater than the given one, in descending order, until the collector has enough
    /// items.
    fileprivate func lookThrough(
        after number: ItemNumber, _ collector: inout SearchCollector
    ) throws(IndexError) {
        try read { queries throws(IndexError) in
            let rows = try queries.connection.statement(
                "SELECT number, parent, changes, data FROM items WHERE number > ?1 ORDER BY number DESC")
            defer { rows.reset() }
            rows.bind(1, number.rawValue)
            while !collector.isFull, try rows.step() { try collector.look(at: IndexQueries.Row(rows)) }
        }
    }

    /// Returns the numbers of the items that have all of the given tags.
    fileprivate func tagged(_ tags: [String]) throws(IndexError) -> [ItemNumber] {
        let wanted = Set(tags.map { FoldedText.scalars(of: $0) })
        // A cache by the text of the tags, because most tagged items have the same few tags.
        var known: [String: Bool] = [:]
        return try read { queries throws(IndexError) in
            let statement = try queries.connection.statement("SELECT number, tags FROM facts WHERE tags IS NOT NULL")
            var numbers: [ItemNumber] = []
            while try statement.step() {
                let tags = statement.text(1)
                let isTagged =
                    known[tags]
                    ?? wanted.isSubset(
                        of: tags.split(separator: "\n").map { FoldedText.scalars(of: String($0)) })
                known[tags] = isTagged
                if isTagged { numbers.append(ItemNumber(rawValue: statement.integer(0))) }
            }
            return numbers
        }
    }

    /// Returns the numbers of the items that were added locally, or whose ``SearchWords`` changed, since the last
    /// update of the search file.
    ///
    /// - Parameter limit: The maximum number of changes that are read, the oldest first.
    /// - Returns: The item numbers, and the record number of the last of these changes, or 0 if there are none.
    func renamed(limit: Int) throws(IndexError) -> (numbers: Set<ItemNumber>, mark: Int64) {
        try read { queries throws(IndexError) in
            let statement = try queries.connection.statement("SELECT mark, number FROM renamed ORDER BY mark LIMIT ?1")
            statement.bind(1, Int64(limit))
            var (numbers, mark) = (Set<ItemNumber>(), Int64(0))
            while try statement.step() {
                mark = statement.integer(0)
                numbers.insert(ItemNumber(rawValue: statement.integer(1)))
            }
            return (numbers, mark)
        }
    }

    /// Returns the words of items, in ascending order of their item numbers.
    ///
    /// - Parameters:
    ///   - number: The item number after which to begin.
    ///   - limit: The maximum number of items.
    /// - Returns: The items, and the number of the last item that was read; `nil` if none was.
    func words(
        after number: ItemNumber, limit: Int
    ) throws(IndexError) -> (items: [(number: ItemNumber, words: SearchWords)], last: ItemNumber?) {
        try read { queries throws(IndexError) in
            let rows = try queries.connection.statement(
                "SELECT number, parent, changes, data FROM items WHERE number > ?1 ORDER BY number LIMIT ?2")
            rows.bind(1, number.rawValue)
            rows.bind(2, Int64(limit))
            var items: [(number: ItemNumber, words: SearchWords)] = []
            while try rows.step() {
                let item = try IndexQueries.Row(rows).item()
                items.append((item.number, SearchWords(item)))
            }
            return (items, items.last?.number)
        }
    }

    func words(of number: ItemNumber) throws(IndexError) -> SearchWords? {
        try itemEvenIfDeleted(number).map { SearchWords($0) }
    }
}

extension IndexQueries.Row {
    /// Creates a row from the current row of the given statement, whose columns are number, parent, changes and data.
    fileprivate init(_ statement: Statement) {
        self.init(
            number: ItemNumber(rawValue: statement.integer(0)), parent: ItemNumber(rawValue: statement.integer(1)),
            changes: LocalChanges(rawValue: UInt8(truncatingIfNeeded: statement.integer(2))),
            bytes: statement.bytes(3))
    }
}
