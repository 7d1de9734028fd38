import FileTesting
import ItemStore
import ItemValues
import LinuxSystem
import TestThreads
import Testing

private final class End: Sendable {
    let isReached = Lock(false)
}

@Suite(.ownThreads) struct IndexReadingTests {
    @Test func aFolderIsReadOnFromAnyItem() throws {
        let sample = try IndexSample()
        try sample.list(.root, 1, (0..<500).map { file("\($0)") })
        var seen: [String] = []
        var last: ItemNumber?
        while true {
            var page: [IndexedItem] = []
            try sample.index.children(of: .root, after: last, limit: 7) { item in
                page.append(item)
                return true
            }
            guard let end = page.last else { break }
            seen += page.map(\.item.identifier)
            last = end.number
        }
        #expect(seen == (0..<500).map { "\($0)" })
        #expect(try sample.index.childCount(of: .root) == 500)
    }

    /// Entries are flushed from memory to disk some twenty times, in order, though they are only nearly sorted in
    /// memory.
    @Test func everyItemIsFoundHoweverMuchOfTheLookupIsOnTheDisk() throws {
        let folder = try TestFolder()
        let path = folder.path + "/index.db"
        for memory in [50, 51] {
            let index = try Index(path: path, lookupMemory: memory)
            for page in 0..<100 {
                try index.write { writer throws(IndexError) in
                    try writer.apply((page * 60..<(page + 1) * 60).map { file("\($0)", "name \($0)") })
                }
            }
            for number in 0..<6000 {
                #expect(try index.item(named: "name \(number)", in: .root)?.item.identifier == "\(number)")
                #expect(try index.item(identifier: "\(number)")?.name == "name \(number)")
            }
        }
    }

    /// Each transaction removes the item with the name, and gives the name to another item.
    @Test(arguments: [50, 100_000]) func aNameThatChangesItsItemIsFoundAllTheTime(_ lookupMemory: Int) async throws {
        let folder = try TestFolder()
        let index = try Index(path: folder.path + "/index.db", lookupMemory: lookupMemory)
        try index.write { writer throws(IndexError) in _ = try writer.apply([file("0", "name")]) }
        let end = End()
        let reading = Task {
            var misses = 0
            while !end.isReached.withLock({ $0 }) {
                if try index.item(named: "name", in: .root) == nil { misses += 1 }
            }
            return misses
        }
        for number in 1...2000 {
            try index.write { writer throws(IndexError) in
                _ = try writer.remove(identifiers: ["\(number - 1)"])
                _ = try writer.apply([file("\(number)", "name")])
            }
        }
        end.isReached.withLock { $0 = true }
        #expect(try await reading.value == 0)
    }

    /// Readers alternate between rows in memory and in the file, because some transactions change more rows than are
    /// kept in memory.
    @Test func aRowIsNeverOlderThanOneThatWasReadBefore() async throws {
        let folder = try TestFolder()
        let index = try Index(path: folder.path + "/index.db")
        try index.write { writer throws(IndexError) in _ = try writer.apply((0..<1500).map { file("\($0)") }) }
        let numbers = try (0..<20).compactMap { try index.item(named: "\($0)", in: .root)?.number }
        #expect(numbers.count == 20)
        let end = End()
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<3 {
                group.addTask {
                    var newest: Int64 = 0
                    var older = 0
                    while !end.isReached.withLock({ $0 }) {
                        for number in numbers {
                            guard let size = try index.item(number)?.localSize else { continue }
                            if size < newest { older += 1 }
                            newest = max(newest, size)
                        }
                    }
                    return older
                }
            }
            let all = try (0..<1500).compactMap { try index.item(named: "\($0)", in: .root)?.number }
            for round in 1...300 {
                try index.write { writer throws(IndexError) in
                    for number in round % 100 == 0 ? all : numbers {
                        try writer.update(number) { $0.localSize = Int64(round) }
                    }
                }
            }
            end.isReached.withLock { $0 = true }
            for try await older in group { #expect(older == 0) }
        }
        #expect(try index.item(numbers[0])?.localSize == 300)
        try index.write { writer throws(IndexError) in try writer.delete(numbers[0]) }
        #expect(try index.itemEvenIfDeleted(numbers[0]) == nil)
    }

    @Test func readersSeeWholeTransactionsWhileItIsWritten() async throws {
        let folder = try TestFolder()
        let index = try Index(path: folder.path + "/index.db", lookupMemory: 500)
        let end = End()
        let pageSize = 50
        try await withThrowingTaskGroup(of: Void.self) { group in
            for reader in 0..<4 {
                group.addTask {
                    var known = 0
                    while true {
                        let wasDone = end.isReached.withLock { $0 }
                        let count = try index.childCount(of: .root)
                        #expect(count % pageSize == 0 && count >= known)
                        known = count
                        // Items that were added earlier are found by name and by identifier, regardless of what is
                        // written meanwhile.
                        for item in stride(from: reader, to: known, by: max(known / 20, 1)) {
                            #expect(try index.item(named: "name \(item)", in: .root)?.item.identifier == "\(item)")
                            #expect(try index.item(identifier: "\(item)")?.name == "name \(item)")
                        }
                        if wasDone { return }
                    }
                }
            }
            group.addTask {
                defer { end.isReached.withLock { $0 = true } }
                for page in 0..<120 {
                    try index.write { writer throws(IndexError) in
                        try writer.apply(
                            (page * pageSize..<(page + 1) * pageSize).map { file("\($0)", "name \($0)") },
                            listedIn: .root, mark: 1)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try index.childCount(of: .root) == 6000)
    }

    @Test func theLogOfABigListingStaysBounded() throws {
        let sample = try IndexSample()
        var item = file("")
        item.tagData = [UInt8](repeating: 7, count: 2000)
        var largest = 0
        for page in 0..<60 {
            let items = (0..<500).map { number in
                var item = item
                item.identifier = "\(page) \(number)"
                item.filename = item.identifier
                return item
            }
            try sample.list(.root, 1, items)
            largest = max(largest, try FileStatus.of(sample.path + "-wal").size)
        }
        #expect(try FileStatus.of(sample.path).size > 20 << 20)
        #expect(largest < 48 << 20)
    }
}
