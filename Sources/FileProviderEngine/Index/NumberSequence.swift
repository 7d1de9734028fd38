/// The numbers of new items, in ascending order. None is given twice, so that a number that something still refers to never means
/// another item.
struct NumberSequence {
    /// The number that the next item gets.
    private(set) var next: Int64 = 0
    private var saved: Int64 = 0
    /// The greatest number that is skipped, whatever the index has: see ``skip(through:)``.
    private var skipped: Int64 = 0

    /// Reads what the index has, also after a transaction that was rolled back.
    mutating func read(from connection: DatabaseConnection) throws(IndexFailure) {
        let read = try connection.statement("SELECT value FROM settings WHERE key = ?1")
        read.bind(1, IndexSchema.Setting.nextNumber)
        saved = try read.number() ?? 0
        let last = try connection.number("SELECT max(number) FROM items")
        next = max(saved, last + 1, ItemNumber.root.rawValue + 1, skipped + 1)
    }

    /// Writes the next number to the index, if it is another than the one there.
    mutating func save(to connection: DatabaseConnection) throws(IndexFailure) {
        guard next != saved else { return }
        let write = try connection.statement("INSERT OR REPLACE INTO settings (key, value) VALUES (?1, ?2)")
        write.bind(1, IndexSchema.Setting.nextNumber)
        write.bind(2, next)
        try write.run()
        saved = next
    }

    mutating func take() -> ItemNumber {
        defer { next += 1 }
        return ItemNumber(rawValue: next)
    }

    /// Takes a number that was chosen elsewhere.
    mutating func reserve(_ number: ItemNumber) { next = max(next, number.rawValue + 1) }

    /// Gives no number up to this one, also after a transaction that was rolled back.
    mutating func skip(through number: ItemNumber) {
        skipped = max(skipped, number.rawValue)
        reserve(number)
    }
}
