/// The first listing of a directory. The files become items portion by portion, in the order of their names. A page of
/// a large directory does not wait for the following pages.
///
/// During the listing, other operations may add items with names that the listing has not reached. The listing returns
/// these items unchanged, because they are newer than the attributes that the listing has read.
final class FirstListing {
    private let compared: ComparedFolder
    private let ahead: FilesAhead?
    private let knownInodes: Set<UInt64>?
    /// The indices of the names that the listing has not reached.
    private var rest: Range<Int>
    /// The last name that the listing has reached; empty at the beginning.
    private var reached: [UInt8] = []
    /// The minimum number of items of the portion that was added last.
    private var portion = 0
    /// The items that were added to the catalogue and not returned yet.
    private var waiting: ArraySlice<CatalogueItem> = []
    /// The name of the item that was returned last; empty at the beginning.
    private(set) var last: [UInt8] = []
    /// Whether a file was recognized as an item that was moved from another place.
    private(set) var hasMoved = false
    private(set) var hasAdditions = false
    /// Whether a page was requested since ``Catalogue/endUnusedListing()`` was called.
    var isUsed = true

    /// The maximum number of items of a portion. Portions grow, because each transaction rewrites a large part of the
    /// index of inodes: inodes are not in the order of names.
    private static let mostOfPortion = 32_000

    var folder: Int64 { compared.number }
    /// Whether all files of the directory are in the catalogue.
    var isAdded: Bool { rest.isEmpty }
    /// Whether all items of the listing were returned.
    var isComplete: Bool { isAdded && waiting.isEmpty }

    /// Begins the listing of a directory of which the catalogue has no items.
    init(of compared: ComparedFolder, in catalogue: Catalogue) throws {
        self.compared = compared
        rest = 0..<compared.names.count
        knownInodes = try catalogue.inodes(ofAtMost: compared.names.count)
        ahead = FilesAhead.isWorthIt(for: compared) ? try? FilesAhead(of: compared) : nil
    }

    deinit { ahead?.cancel() }

    /// Whether a portion must be added before `count` items can be returned.
    func isShort(of count: Int) -> Bool { waiting.count < count && !isAdded }

    /// Removes and returns at most `count` of the items that were added and not returned yet.
    func take(_ count: Int = .max) -> [CatalogueItem] {
        let taken = Array(waiting.prefix(count))
        waiting.removeFirst(taken.count)
        if let item = taken.last { last = item.name }
        return taken
    }

    /// Adds the next portion to the catalogue. Afterwards at least `count` items, or all remaining ones, can be
    /// returned. Must be called in a transaction. After an error, the listing must not be used any more.
    func add(_ count: Int, to catalogue: Catalogue) throws {
        portion = max(count, min(2 * portion, Self.mostOfPortion))
        var items = Array(waiting)
        let wanted = items.count + portion
        while items.count < wanted, !rest.isEmpty {
            let range = FilesAhead.range(from: rest.lowerBound, of: compared)
            try items += add(try ahead?.next() ?? compared.files(range), of: range, to: catalogue)
            rest = range.upperBound..<rest.upperBound
            reached = compared.names[range.upperBound - 1]
        }
        waiting = items[...]
    }

    /// Adds the files that were found under the given range of names, and returns the items with these names.
    private func add(_ files: [FoundFile], of range: Range<Int>, to catalogue: Catalogue) throws -> [CatalogueItem] {
        // Items that another operation has added are returned unchanged, because the listing may have read the
        // attributes of their files earlier.
        var known: [[UInt8]: CatalogueItem] = [:]
        if try catalogue.hasChildren(folder, after: reached) {
            for name in range.lazy.map({ self.compared.names[$0] }) {
                known[name] = try catalogue.row(named: name, in: folder)
            }
        }
        var items = Array(known.values)
        var new: [FoundFile] = []
        items.reserveCapacity(files.count)
        new.reserveCapacity(files.count)
        for var file in files where known[file.name] == nil {
            let earlier = try catalogue.earlier(file.facts, among: knownInodes)
            if let item = earlier.moved {
                items.append(try catalogue.adopt(item, file.name, in: folder, file.facts))
                hasMoved = true
            } else {
                file.contents = earlier.contents
                new.append(file)
            }
        }
        let areInOrder = items.isEmpty
        for start in stride(from: 0, to: new.count, by: Catalogue.mostAdditions) {
            try items += catalogue.insert(new[start..<min(start + Catalogue.mostAdditions, new.count)], in: folder)
        }
        if !areInOrder { items.sort { $0.name.lexicographicallyPrecedes($1.name) } }
        hasAdditions = hasAdditions || !items.isEmpty
        return items
    }
}
