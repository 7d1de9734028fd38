/// The first listing of a directory, whose files become items portion by portion, in the order of their names. A page
/// of a large directory does not wait for the following ones.
///
/// Meanwhile other operations may add items with names that the listing has not reached. The listing takes them as
/// they are: they are newer than what it has read of their files.
final class FirstListing {
    private let compared: ComparedFolder
    private let ahead: FilesAhead?
    private let knownInodes: Set<UInt64>?
    /// The indices of the names that the listing has not reached.
    private var rest: Range<Int>
    /// The name that the listing has reached; empty at the beginning.
    private(set) var last: [UInt8] = []
    /// Whether a file was an item of another place before.
    private(set) var hasMoved = false
    private(set) var hasAdditions = false
    /// Whether a page was asked for since ``Catalogue/endUnusedListing()`` was called.
    var isUsed = true

    var folder: Int64 { compared.number }
    var isComplete: Bool { rest.isEmpty }

    /// Begins the listing of a directory without known items.
    init(of compared: ComparedFolder, in catalogue: Catalogue) throws {
        self.compared = compared
        rest = 0..<compared.names.count
        knownInodes = try catalogue.inodes(ofAtMost: compared.names.count)
        ahead = FilesAhead.isWorthIt(for: compared) ? try? FilesAhead(of: compared) : nil
    }

    deinit { ahead?.cancel() }

    /// Adds at least `count` further items to the catalogue, or all that are left. Must be called in a transaction.
    /// The listing cannot go on after an error.
    func more(_ count: Int, in catalogue: Catalogue) throws -> [CatalogueItem] {
        var items: [CatalogueItem] = []
        while items.count < count, !rest.isEmpty {
            let range = FilesAhead.range(from: rest.lowerBound, of: compared)
            let files = try ahead?.next() ?? compared.files(range)
            try items += add(files, to: catalogue)
            rest = range.upperBound..<rest.upperBound
            last = compared.names[range.upperBound - 1]
        }
        return items
    }

    private func add(_ files: [FoundFile], to catalogue: Catalogue) throws -> [CatalogueItem] {
        var items: [CatalogueItem] = []
        var new: [FoundFile] = []
        items.reserveCapacity(files.count)
        new.reserveCapacity(files.count)
        let mayBeKnown = try catalogue.hasChildren(folder, after: last)
        for file in files {
            if mayBeKnown, let item = try catalogue.row(named: file.name, in: folder) {
                items.append(item)
            } else if let item = try catalogue.mover(file.facts, among: knownInodes) {
                items.append(try catalogue.adopt(item, file.name, in: folder, file.facts))
                hasMoved = true
            } else {
                new.append(file)
            }
        }
        for start in stride(from: 0, to: new.count, by: Catalogue.mostAdditions) {
            try items += catalogue.insert(new[start..<min(start + Catalogue.mostAdditions, new.count)], in: folder)
        }
        hasAdditions = hasAdditions || !items.isEmpty
        return items
    }
}
