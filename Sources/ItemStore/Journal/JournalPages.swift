import LinuxSystem

/// Reads entries from the pages of a journal's file, without the b-tree that leads to these pages
/// (sqlite.org/fileformat2.html). Used for files that SQLite can no longer read.
struct JournalPages {
    static let pageSize = 4096
    private(set) var entries: [Int64: JournalEntry] = [:]

    /// Reads all entries that can be found in the given file.
    ///
    /// - Parameter file: The file, which may be damaged in any way.
    init(_ file: FileDescriptor) {
        var page = [UInt8](repeating: 0, count: Self.pageSize)
        var offset = 0
        while let count = try? page.withUnsafeMutableBytes({ try file.read(into: $0, at: offset) }),
            count == Self.pageSize
        {
            // The first page begins with the file's header.
            page.withUnsafeBytes { readLeaf($0, header: offset == 0 ? 100 : 0) }
            offset += Self.pageSize
        }
    }

    private mutating func readLeaf(_ page: UnsafeRawBufferPointer, header: Int) {
        let leafOfTable: UInt8 = 13
        guard page[header] == leafOfTable else { return }
        let cells = Int(page[header + 3]) << 8 | Int(page[header + 4])
        for cell in 0..<cells {
            let pointer = header + 8 + 2 * cell
            guard pointer + 1 < page.count else { return }
            let start = Int(page[pointer]) << 8 | Int(page[pointer + 1])
            if start < page.count, let entry = Self.entry(Cursor(page, start)) {
                entries[entry.number.rawValue] = entry
            }
        }
    }

    private static func entry(_ cell: Cursor) -> JournalEntry? {
        var cell = cell
        // Payloads that continue on overflow pages are skipped.
        guard let payload = cell.varint(), payload >= 6, payload <= UInt64(pageSize - 35), let number = cell.varint(),
            let header = cell.varint(), header == 6 || header == 7 || header == 8
        else { return nil }
        var types: [UInt64] = []
        for _ in 0..<5 {
            guard let type = cell.varint() else { return nil }
            types.append(type)
        }
        // The number is the rowid, so the record holds NULL for it.
        guard types[0] == 0, let parent = cell.number(types[1]), let changes = cell.number(types[2]),
            // `next_attempt`, a floating-point number of 8 bytes or an integer.
            cell.number(types[3] == 7 ? 6 : types[3]) != nil,
            types[4] >= 12, types[4] % 2 == 0, let data = cell.bytes((types[4] - 12) / 2)
        else { return nil }
        return try? JournalEntry.read(
            number: ItemNumber(rawValue: Int64(bitPattern: number)), parent: ItemNumber(rawValue: parent),
            changes: LocalChanges(rawValue: UInt8(truncatingIfNeeded: changes)), data)
    }

    /// A position in a page. Its functions read the bytes from there on.
    private struct Cursor {
        private let page: UnsafeRawBufferPointer
        private var position: Int

        init(_ page: UnsafeRawBufferPointer, _ position: Int) {
            self.page = page
            self.position = position
        }

        mutating func varint() -> UInt64? {
            var value: UInt64 = 0
            for index in 0..<9 {
                guard position < page.count else { return nil }
                let byte = page[position]
                position += 1
                if index == 8 { return value << 8 | UInt64(byte) }
                value = value << 7 | UInt64(byte & 0x7F)
                if byte < 0x80 { return value }
            }
            return nil
        }

        /// Reads an integer that is stored with the given serial type of SQLite; `nil` if the type is not an integer.
        mutating func number(_ type: UInt64) -> Int64? {
            let sizes = [0, 1, 2, 3, 4, 6, 8]
            if type == 8 || type == 9 { return Int64(type - 8) }
            guard type >= 1, type <= 6, let bytes = bytes(UInt64(sizes[Int(type)])) else { return nil }
            return bytes.reduce(bytes[0] & 0x80 == 0 ? 0 : -1) { $0 << 8 | Int64($1) }
        }

        mutating func bytes(_ count: UInt64) -> UnsafeRawBufferPointer? {
            guard count <= UInt64(page.count - position) else { return nil }
            defer { position += Int(count) }
            return UnsafeRawBufferPointer(rebasing: page[position..<position + Int(count)])
        }
    }
}
