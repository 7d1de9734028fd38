/// A listing of a folder that is under way: which of the folder's items count as listed.
struct OngoingListing {
    let mark: Int64
    /// What a new item's number would have been when it began. What has this number or a greater one was written since then, and
    /// counts as listed: so a folder that nobody listed before needs no look at each of its items again.
    let firstNew: ItemNumber
    /// Those of lesser numbers.
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
