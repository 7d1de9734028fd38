/// Assigns the numbers of new items, in ascending order. A number is never reused, so an old reference never denotes
/// another item.
struct NumberSequence {
    /// The item number that the next item gets.
    private(set) var next: Int64 = 0
    private var saved: Int64 = 0
    /// The greatest item number that was skipped. It is not stored in the index; see ``skip(through:)``.
    private var skipped: Int64 = 0

    /// Reads the state from the index when it is opened and after a rollback.
    mutating func read(from connection: DatabaseConnection) throws(IndexError) {
        let read = try connection.statement("SELECT value FROM settings WHERE key = ?1")
        read.bind(1, IndexSchema.Setting.nextNumber)
        saved = try read.number() ?? 0
        let last = try connection.number("SELECT max(number) FROM items")
        next = max(saved, last + 1, ItemNumber.root.rawValue + 1, skipped + 1)
    }

    /// Writes the next number to the index if it changed.
    mutating func save(to connection: DatabaseConnection) throws(IndexError) {
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

    /// Records that the given item number, which a caller chose, is used.
    mutating func reserve(_ number: ItemNumber) { next = max(next, number.rawValue + 1) }

    /// Skips the given item number and all smaller ones. A rollback does not undo this.
    mutating func skip(through number: ItemNumber) {
        skipped = max(skipped, number.rawValue)
        reserve(number)
    }
}
