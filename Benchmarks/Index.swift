import FileProvider
import FileProviderEngine
import Glibc
import ItemStore
import ItemValues
import LinuxSystem

extension Section {
    /// The index of a domain: a million items of a provider are stored and looked up.
    static let index = Section(name: "index") { report in
        for tree in IndexTree.allCases {
            let words = try BenchmarkChild.output(of: .indexFilling, [tree.rawValue]).split(
                whereSeparator: \.isWhitespace)
            let values = words.compactMap { Double($0) }
            guard values.count == 7 else {
                report.fail("index, \(tree.words)", because: "the child said \(words)")
                continue
            }
            report.add("a million items, \(tree.words)", values[0], .seconds, target: .atMost(4))
            report.add("processor time of that, \(tree.words)", values[6], .seconds)
            report.add("peak resident, \(tree.words)", values[1], .bytes, target: .atMost(150 * 1_048_576))
            report.add("item of a number, \(tree.words)", values[2], .seconds, target: .atMost(10e-6))
            report.add("item of a name, \(tree.words)", values[3], .seconds, target: .atMost(10e-6))
            report.add("100,000 items of a folder, \(tree.words)", values[4], .seconds, target: .atMost(0.1))
            report.add("size of the file, \(tree.words)", values[5], .bytes)
        }
    }
}

extension ChildRole {
    /// Fills an index. Prints the seconds, the peak resident bytes, the seconds of three ways of reading, the size of
    /// the file in bytes, and the processor seconds.
    static let indexFilling = ChildRole(name: "index-filling") { arguments in
        guard let tree = arguments.first.flatMap({ IndexTree(rawValue: $0) }) else { return }
        let folder = try ScratchFolder()
        let path = folder.path + "/index.db"
        var index = try Index(path: path)
        let (filling, processor) = try tree.fill(index)
        let peak = try Measure.peakResident()
        // A new object is used, because its connections have cached nothing.
        index = try Index(path: path)
        let items = try tree.sample(of: index)
        let byNumber = try Measure.median {
            for item in items { Measure.keep(try index.item(item.number)) }
        }
        let byName = try Measure.median {
            for item in items { Measure.keep(try index.item(named: item.name, in: item.parent)) }
        }
        let list = try Measure.median { try tree.list(index, 100_000) }
        print(
            filling, peak, byNumber / Double(items.count), byName / Double(items.count), list,
            try FileStatus.of(path).size, processor)
    }
}

/// A million items in a flat or a deep tree.
enum IndexTree: String, CaseIterable {
    case one
    case deep

    static let count = 1_000_000
    private static let pageSize = 2000
    /// The modification date of the first file, in seconds since 1970, and the seconds between the dates of consecutive
    /// files. All dates are within about ten years.
    static let earliest = 1_400_000_000.5
    private static let step = 300.0

    var words: String {
        switch self {
        case .one: "one folder"
        case .deep: "a thousand folders"
        }
    }

    /// Fills an index.
    ///
    /// - Returns: the wall-clock seconds and the processor seconds, without the time to generate the items.
    func fill(_ index: Index) throws -> (seconds: Double, processor: Double) {
        var seconds = 0.0
        var processor = 0
        func apply(_ items: [ProviderItem], in folder: ItemNumber) throws {
            let before = clock()
            seconds += try Measure.seconds {
                _ = try index.write { writer throws(IndexError) in
                    try writer.apply(items, listedIn: folder, mark: folder.rawValue)
                }
            }
            processor += clock() - before
        }
        switch self {
        case .one:
            for page in 0..<(Self.count / Self.pageSize) {
                let items = items(page * Self.pageSize, Self.pageSize, in: ProviderItem.rootIdentifier)
                try apply(items, in: .root)
            }
        case .deep:
            let folders = (0..<1000).map {
                ProviderItem(
                    identifier: identifier(Self.count + $0), parent: ProviderItem.rootIdentifier,
                    filename: "Folder \($0)", kind: .folder)
            }
            try apply(folders, in: .root)
            for folder in folders.indices {
                let items = items(folder * 1000, 1000, in: folders[folder].identifier)
                guard let number = try index.item(identifier: folders[folder].identifier)?.number else { break }
                try apply(items, in: number)
            }
        }
        return (seconds, Double(processor) / Double(CLOCKS_PER_SEC))
    }

    private func items(_ first: Int, _ count: Int, in parent: String) -> [ProviderItem] {
        (first..<first + count).map { number in
            var item = ProviderItem(
                identifier: identifier(number), parent: parent, filename: "Photograph \(number).jpeg", kind: .file)
            item.contentType = number % 1000 == 0 ? "com.adobe.pdf" : "public.jpeg"
            item.size = Int64(number) * 1000
            item.created = 1_700_000_000 + Double(number)
            item.modified = Self.earliest + Double(number) * Self.step
            item.contentVersion = Array("\(number &* 7919)".utf8)
            return item
        }
    }

    /// Returns an identifier. Identifiers are in no order, like the identifiers of services.
    private func identifier(_ number: Int) -> String {
        var mixed = UInt64(number) &* 0x9E37_79B9_7F4A_7C15
        mixed ^= mixed >> 29
        mixed &*= 0xBF58_476D_1CE4_E5B9
        return "id-" + String(mixed, radix: 36) + "-" + String(number, radix: 36)
    }

    func sample(of index: Index) throws -> [IndexedItem] {
        var items: [IndexedItem] = []
        for number in stride(from: 2000, to: Self.count, by: 97) {
            if let item = try index.item(ItemNumber(rawValue: Int64(number))) { items.append(item) }
        }
        return items.shuffled()
    }

    func list(_ index: Index, _ count: Int) throws {
        var seen = 0
        func list(_ folder: ItemNumber) throws {
            try index.children(of: folder, limit: count - seen) { item in
                seen += 1
                Measure.keep(item)
                return true
            }
        }
        if self == .one { return try list(.root) }
        for folder in 2..<102 { try list(ItemNumber(rawValue: Int64(folder))) }
    }
}
