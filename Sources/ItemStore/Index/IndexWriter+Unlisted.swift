import ItemValues

/// Handles items of a directory that the directory's listing did not include.
extension IndexWriter {
    /// Returns the items that ``removeUnlisted(in:before:)`` would remove from the given directory.
    ///
    /// - Parameter limit: The maximum number of items.
    package func unlisted(in folder: ItemNumber, before mark: Int64, limit: Int) throws(IndexError) -> [IndexedItem] {
        var items: [IndexedItem] = []
        try eachUnlisted(in: folder, before: mark) { item in
            items.append(item)
            return items.count < limit
        }
        return items
    }

    /// Prevents ``removeUnlisted(in:before:)`` from removing unlisted items, except those with the identifiers
    /// `others`.
    ///
    /// - Returns: The identifiers of the items that will not be removed.
    package mutating func keepUnlisted(
        in folder: ItemNumber, before mark: Int64, apartFrom others: Set<ExactText>
    ) throws(IndexError) -> Set<ExactText> {
        var (numbers, identifiers): ([ItemNumber], Set<ExactText>) = ([], [])
        try eachUnlisted(in: folder, before: mark) { item in
            guard !others.contains(item.item.identifier) else { return true }
            numbers.append(item.number)
            identifiers.insert(item.item.identifier)
            return true
        }
        for number in numbers { state.noteListed(number, in: folder) }
        return identifiers
    }

    /// Returns the identifiers of items that are in the given directory only until their parent is known, and that the
    /// directory's listing did not include.
    ///
    /// - Parameter limit: The maximum number of identifiers.
    package func waitingForParent(in folder: ItemNumber, before mark: Int64, limit: Int) throws(IndexError) -> Set<
        ExactText
    > {
        guard state.mayHoldOrphans else { return [] }
        var identifiers: Set<ExactText> = []
        for number in try unlistedNumbers(in: folder, before: mark) where identifiers.count < limit {
            guard try state.isUnlistedOrphan(number), let item = try item(number) else { continue }
            identifiers.insert(item.item.identifier)
        }
        return identifiers
    }

    /// Calls `body` with each item of the given directory that the directory's listing did not include.
    ///
    /// - Parameter body: Returns whether to continue.
    private func eachUnlisted(
        in folder: ItemNumber, before mark: Int64, _ body: (IndexedItem) -> Bool
    ) throws(IndexError) {
        guard let identifier = try item(folder)?.item.identifier else { return }
        for number in try unlistedNumbers(in: folder, before: mark) {
            guard let item = try item(number), item.isKnownToProvider, item.item.parent.hasSameBytes(as: identifier)
            else { continue }
            if !body(item) { return }
        }
    }

    /// Returns the numbers of the items in the given directory that the directory's listing did not include, even of
    /// items that were removed locally. If no page of the listing was applied, returns all items.
    func unlistedNumbers(in folder: ItemNumber, before mark: Int64) throws(IndexError) -> [ItemNumber] {
        var listing = state.listings[folder].flatMap { $0.mark == mark ? $0 : nil }
        var unlisted: [ItemNumber] = []
        try state.queries.childNumbers(of: folder, before: listing?.firstNew) { number in
            if listing?.hasListed(number) != true { unlisted.append(number) }
        }
        return unlisted
    }
}

/// A running listing of a directory, with the items that count as listed.
struct OngoingListing {
    let mark: Int64
    /// The lowest unused item number when the listing began. Items with this or a greater number were written since
    /// then and count as listed. During the first listing of a directory, its items therefore need not be recorded one
    /// by one.
    let firstNew: ItemNumber
    /// The listed items whose numbers are lower than ``firstNew``.
    private var listed = NumberSet()

    init(mark: Int64, firstNew: ItemNumber) {
        self.mark = mark
        self.firstNew = firstNew
    }

    mutating func note(_ number: ItemNumber) {
        if number.rawValue < firstNew.rawValue { listed.insert(number) }
    }

    mutating func hasListed(_ number: ItemNumber) -> Bool {
        number.rawValue >= firstNew.rawValue || listed.contains(number)
    }
}

/// Records directories that may have changes that the provider does not report by itself. The record of a directory
/// stays until the directory has been enumerated, even across a crash.
extension IndexWriter {
    /// Marks all directories that were ever listed as outdated. These are the directories with an entry in the table
    /// `anchors`; the entry is empty if the provider supplies no anchor.
    package mutating func noteAllOutdated() throws(IndexError) {
        let statement = try state.connection.statement(
            "INSERT OR IGNORE INTO outdated SELECT container FROM anchors WHERE container <> ?1")
        statement.bind(1, ProviderItem.workingSetIdentifier)
        try statement.run()
    }

    /// Marks a directory as outdated or as up to date.
    ///
    /// - Parameters:
    ///   - isOutdated: Whether the directory must be enumerated again.
    ///   - container: The directory's identifier.
    package mutating func setOutdated(_ isOutdated: Bool, _ container: String) throws(IndexError) {
        let statement = try state.connection.statement(
            isOutdated
                ? "INSERT OR IGNORE INTO outdated VALUES (?1)" : "DELETE FROM outdated WHERE container = ?1")
        statement.bind(1, container)
        try statement.run()
    }
}

extension Index {
    /// Returns the identifiers of the directories that are marked as outdated.
    package func outdatedFolders() throws(IndexError) -> [String] {
        try read { queries throws(IndexError) in
            let statement = try queries.connection.statement("SELECT container FROM outdated")
            defer { statement.reset() }
            var containers: [String] = []
            while try statement.step() { containers.append(statement.text(0)) }
            return containers
        }
    }
}
