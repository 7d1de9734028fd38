import WebDAVClient

/// The entries of one listing that may have wrong addresses. Some servers do not encode all names correctly: xandikos
/// lists `a?.txt` as `a`. The known item then seems to be missing, and an entry appears at whose address the server has
/// nothing.
struct UncertainEntries: Sendable {
    /// The names that were uncertain before this listing.
    let names: Set<[UInt8]>
    /// The first new entries, at most `mostNew`. Entries with an identity are excluded, because the identity shows
    /// which item an entry denotes, even if the address is wrong.
    private(set) var new: [ObservedItem] = []
    /// The names that the listing contains more than once, for different items, and whether the last item of a name is
    /// a folder.
    private(set) var repeated: [[UInt8]: Bool] = [:]
    /// The names that the listing contains although the server has nothing at their addresses.
    var mislisted: Set<[UInt8]> = []
    /// The names or addresses of entries that are left out because no file can have their names, or because their
    /// addresses are not in the folder.
    var refused: [String] = []
    /// Whether the listing contains entries of subfolders.
    var hasDeeper = false

    /// The maximum number of new entries that are requested if a known item was listed with a wrong address.
    private static let mostNew = 100

    init(_ names: Set<[UInt8]>) { self.names = names }

    mutating func add(new entries: [ObservedItem], repeated others: [ObservedItem]) {
        for entry in others { repeated[Array(entry.name.utf8)] = entry.isFolder }
        for entry in entries where entry.traits.identity == nil && new.count < Self.mostNew { new.append(entry) }
    }

    /// Whether the server may have an item although the listing lacks it.
    func mayHave(_ item: CataloguedItem) -> Bool {
        // nginx does not list names that begin with a dot.
        if hasDeeper || !refused.isEmpty || item.name.hasPrefix(".") { return true }
        // One of the unexpected entries may be this item, listed with a wrong address.
        return (!new.isEmpty || !repeated.isEmpty || !mislisted.isEmpty) && Self.isSpecial(item.name)
    }

    /// Whether servers may encode a name in different ways.
    private static func isSpecial(_ name: String) -> Bool {
        let isPlain = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: " ._-()".utf8.contains(byte)
            }
        }
        return !isPlain || name.hasPrefix(" ") || name.hasSuffix(" ")
    }
}
