/// Determines the preparations that a claim's accesses require of the presenters of the accessed items, and of items
/// above and beneath them.
struct PreparationNeeds {
    /// The values of ``Access/key`` for written items. `read` has those for items that are read, and `saved` those for
    /// items whose presenters must save.
    private let written: SortedPaths
    private let read: SortedPaths
    private let saved: SortedPaths
    private let gone: SortedPaths
    private let evicted: SortedPaths
    private let deleted: SortedPaths
    /// For each index in `deleted`, the total size in bytes of the paths before it.
    private let deletedBytes: [Int]

    init(_ accesses: [Access]) {
        let loud = accesses.filter { !$0.traits.contains(.isQuiet) }
        written = SortedPaths(loud.filter(\.writes).map(\.key))
        read = SortedPaths(loud.filter { !$0.writes }.map(\.key))
        saved = SortedPaths(loud.filter { $0.traits.contains(.saves) }.map(\.key))
        func paths(_ traits: Access.Traits) -> SortedPaths {
            SortedPaths(accesses.filter { !$0.traits.isDisjoint(with: traits) }.map(\.path))
        }
        gone = paths([.deletes, .replaces])
        evicted = paths(.evicts)
        deleted = paths(.deletes)
        deletedBytes =
            deleted.paths.isEmpty ? [] : deleted.paths.reduce(into: [0]) { $0.append(($0.last ?? 0) + $1.utf8.count) }
    }

    func add(to preparation: inout Preparation, forPresenterOf path: ExactPath, key: ExactPath) {
        if written.cover(key) {
            preparation.relinquishing = .toWriter
        } else if read.cover(key) {
            preparation.relinquishing = .toReader
        }
        preparation.saves = saved.cover(key)
        preparation.evictsItem = evicted.cover(path)
        preparation.deletesItem = gone.cover(path)
    }

    /// Returns the deleted items beneath the given directory, and the total size of their paths in bytes. Returns no
    /// items if the size exceeds the limit. A replaced item is not included, because another item takes its place.
    func deletedSubitems(beneath path: ExactPath, atMost limit: Int) -> ([ExactPath], bytes: Int) {
        let found = deleted.beneath(path)
        if found.isEmpty { return ([], 0) }
        let bytes = deletedBytes[found.endIndex] - deletedBytes[found.startIndex]
        return bytes <= limit ? (Array(found), bytes) : ([], 0)
    }
}
