import FileTesting
import ItemStore
import ItemValues
import Testing

/// Compares the index with a slow and simple model after random changes.
@Suite struct IndexModelTests {
    @Test(arguments: 0..<12)
    func theIndexShowsTheLatestReplyOfTheProvider(_ seed: UInt64) throws {
        var random = Seeded(seed)
        let folder = try TestFolder()
        let path = folder.path + "/index.db"
        // The lookup has little memory, so that entries are flushed to disk often.
        var index = try Index(path: path, lookupMemory: 40)
        var model = Model()
        for step in 0..<120 {
            switch random.below(10) {
            case 0: try model.removeSome(index, &random)
            case 1: try model.list(index, Int64(step), &random)
            case 2:
                index = try Index(path: folder.path + "/other.db")
                index = try Index(path: path, lookupMemory: 40)
            case 3: try model.fail(index, &random)
            default: try model.change(index, &random)
            }
            if step % 10 == 9 { try model.compare(index) }
        }
        try model.compare(index)
    }

    @Test(arguments: 0..<6)
    func localChangesAreNeverLostByWhatAProviderSays(_ seed: UInt64) throws {
        var random = Seeded(seed &+ 1000)
        let folder = try TestFolder()
        let index = try Index(path: folder.path + "/index.db", lookupMemory: 40)
        var model = Model()
        var edited: [ItemNumber: LocalChanges] = [:]
        for step in 0..<100 {
            switch random.below(8) {
            case 0: try model.removeSome(index, &random)
            case 1: try model.list(index, Int64(step), &random)
            case 2, 3:
                guard let identifier = model.anyFile(&random),
                    let item = try index.item(identifier: identifier), item.isShown
                else { continue }
                let number = item.number
                let wanted = random.below(2) == 0
                try index.write { writer throws(IndexError) in
                    try writer.update(number) { item in
                        item.changes.insert(.contents)
                        item.content = .edited
                        if wanted {
                            item.changes.insert(.place)
                            item.parent = .root
                            item.name = "mine \(step)"
                        }
                    }
                }
                edited[number] = wanted ? [.contents, .place] : .contents
            default: try model.change(index, &random)
            }
            for (number, changes) in edited {
                let item = try #require(try index.item(number))
                #expect(item.changes.isSuperset(of: changes) && item.content == .edited)
                #expect(try index.item(named: item.name, in: item.parent)?.number == number)
            }
            try model.checkNames(index)
        }
        #expect(!edited.isEmpty)
    }
}

/// A model of the provider's items.
private struct Model {
    private var items: [String: ProviderItem] = [:]
    private var numbers: [String: ItemNumber] = [:]
    private var next = 0

    private static let root = ProviderItem.rootIdentifier

    private func folders() -> [String] {
        [Self.root] + items.values.filter { $0.kind == .folder }.map(\.identifier).sorted()
    }

    func anyFile(_ random: inout Seeded) -> String? {
        let files = items.values.filter { $0.kind == .file }.map(\.identifier).sorted()
        return files.isEmpty ? nil : files[random.below(files.count)]
    }

    private func isWithin(_ identifier: String, _ folder: String) -> Bool {
        var current = identifier
        while current != Self.root {
            if current == folder { return true }
            current = items[current]?.parent ?? Self.root
        }
        return false
    }

    private mutating func someChange(_ random: inout Seeded) -> ProviderItem {
        let folders = folders()
        let known = items.keys.sorted()
        var item: ProviderItem
        if known.isEmpty || random.below(3) == 0 {
            next += 1
            item = random.below(4) == 0 ? folder("id\(next)") : file("id\(next)")
        } else {
            item = items[known[random.below(known.count)]] ?? file("none")
        }
        switch random.below(3) {
        case 0: item.contentVersion = [UInt8(random.below(256))]
        case 1: item.filename = "name \(random.below(12))"
        default:
            let parent = folders[random.below(folders.count)]
            if !isWithin(parent, item.identifier) { item.parent = parent }
        }
        items[item.identifier] = item
        return item
    }

    mutating func change(_ index: Index, _ random: inout Seeded) throws {
        var batch: [ProviderItem] = []
        for _ in 0...random.below(8) { batch.append(someChange(&random)) }
        // Reports have the items' final state; children may come before their parents.
        let said = batch.map { items[$0.identifier] ?? $0 }.sorted { _, _ in random.below(2) == 0 }
        try index.write { writer throws(IndexError) in try writer.apply(said) }
    }

    /// Makes a transaction fail, which must leave no trace.
    func fail(_ index: Index, _ random: inout Seeded) throws {
        var other = self
        var batch: [ProviderItem] = []
        for _ in 0...random.below(8) { batch.append(other.someChange(&random)) }
        let (said, gone) = (batch, items.keys.prefix(3).map { $0 })
        #expect(throws: IndexError.full) {
            try index.write { writer throws(IndexError) in
                _ = try writer.remove(identifiers: gone)
                try writer.apply(said)
                throw .full
            }
        }
    }

    mutating func removeSome(_ index: Index, _ random: inout Seeded) throws {
        let known = items.keys.sorted()
        guard !known.isEmpty else { return }
        let identifier = known[random.below(known.count)]
        forget(identifier)
        try index.write { writer throws(IndexError) in _ = try writer.remove(identifiers: [identifier]) }
    }

    private mutating func forget(_ identifier: String) {
        for within in items.keys.filter({ isWithin($0, identifier) }) { items[within] = nil }
    }

    /// Lists a directory after items were lost or added without a report.
    mutating func list(_ index: Index, _ mark: Int64, _ random: inout Seeded) throws {
        let folders = folders()
        let folder = folders[random.below(folders.count)]
        guard let number = try index.item(identifier: folder)?.number else { return }
        if let lost = items.values.filter({ $0.parent == folder }).map(\.identifier).min(), random.below(2) == 0 {
            forget(lost)
        }
        next += 1
        items["id\(next)"] = file("id\(next)", "name \(random.below(12))", in: folder)
        let listed = items.values.filter { $0.parent == folder }.sorted { _, _ in random.below(2) == 0 }
        for page in stride(from: 0, to: listed.count, by: 3) {
            let items = Array(listed[page..<min(page + 3, listed.count)])
            try index.write { writer throws(IndexError) in
                try writer.apply(items, listedIn: number, mark: mark)
            }
        }
        try index.write { writer throws(IndexError) in
            _ = try writer.removeUnlisted(in: number, before: mark)
        }
    }

    /// Expects that every item is in the index with the right parent and a unique name, and that nothing else is.
    mutating func compare(_ index: Index) throws {
        var shown = 0
        for item in items.values {
            let row = try #require(try index.item(identifier: item.identifier), "\(item.identifier)")
            #expect(row.item == item)
            let parent = try #require(try index.item(identifier: item.parent))
            #expect(row.parent == parent.number)
            #expect(row.name == item.filename || row.name.hasPrefix(item.filename + " "))
            if let number = numbers[item.identifier] { #expect(row.number == number) }
            numbers[item.identifier] = row.number
            #expect(try index.item(row.number) == row)
        }
        for folder in folders() {
            let number = try #require(try index.item(identifier: folder)).number
            shown += try index.childCount(of: number)
        }
        #expect(shown == items.count)
        #expect(try index.statistics().items == items.count)
        numbers = numbers.filter { items[$0.key] != nil }
        try checkNames(index)
    }

    /// Expects that each item of a directory is found by its name, and that names are unique.
    func checkNames(_ index: Index) throws {
        for folder in folders() {
            guard let number = try index.item(identifier: folder)?.number else { continue }
            var names: Set<String> = []
            var last: Int64 = 0
            var rows: [IndexedItem] = []
            try index.children(of: number) { item in
                rows.append(item)
                return true
            }
            for row in rows {
                #expect(row.number.rawValue > last)
                last = row.number.rawValue
                #expect(names.insert(row.name).inserted)
                #expect(try index.item(named: row.name, in: number)?.number == row.number)
            }
            var count = 0
            try index.names(in: number) { _, _, name in
                #expect(names.contains(String(decoding: name, as: UTF8.self)))
                count += 1
                return true
            }
            #expect(count == names.count)
        }
    }
}

/// A random number generator that returns the same numbers for the same seed.
private struct Seeded {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

    mutating func below(_ limit: Int) -> Int {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return Int(state >> 11) % limit
    }
}
