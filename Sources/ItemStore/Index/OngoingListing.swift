/// A listing of a directory that is under way, with the items that count as listed.
struct OngoingListing {
    let mark: Int64
    /// The next free item number when the listing began. Items with this or a greater number were written since then
    /// and count as listed. Therefore the first listing of a directory need not look up each of its items again.
    let firstNew: ItemNumber
    /// The listed items with smaller numbers than ``firstNew``.
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
