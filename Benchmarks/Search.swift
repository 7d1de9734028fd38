import FileProvider
import FileProviderEngine
import Glibc
import ItemStore
import ItemValues
import LinuxSystem

extension Section {
    /// Searches for items by name, type, tag and date among a million, and the most recently used files, without a
    /// provider.
    static let search = Section(name: "search") { report in
        let output = try BenchmarkChild.output(of: .searching).split(separator: "\n").map { $0.split(separator: "\t") }
        for line in output {
            guard line.count >= 2, let value = Double(line[1]) else {
                report.fail("search", because: "the child said \(line)")
                continue
            }
            let name = String(line[0])
            switch name {
            case "words": report.add("a million names put into the file of words, behind", value, .seconds)
            case "size": report.add("size of the file of words", value, .bytes)
            case "peak": report.add("peak resident", value, .bytes, target: .atMost(200 * 1_048_576))
            case "recents":
                report.add("the 50 of 1,000 files that were used last", value, .seconds, target: .atMost(0.01))
            default:
                report.add(
                    name, value, .seconds,
                    peer: line.count > 2 ? Double(line[2]).map { .init(name: "grep", value: $0) } : nil,
                    target: .atMost(0.02))
            }
        }
    }
}

extension ChildRole {
    /// Fills an index and its search index, and prints the time of each query on a line.
    static let searching = ChildRole(name: "searching") { _ in
        let folder = try ScratchFolder()
        let index = try Index(path: folder.path + "/index.db")
        _ = try IndexTree.deep.fill(index)
        let path = folder.path + "/search.db"
        let search = SearchIndex(index, path: path)
        print("words", Measure.seconds { search.catchUp() }, separator: "\t")
        print("size", try FileStatus.of(path).size, separator: "\t")
        try mark(index)
        print("recents", try Measure.median { Measure.keep(try index.recents(limit: 50)) }, separator: "\t")
        let list = folder.path + "/names"
        try writeNames(to: list)
        for (name, words, found) in [
            ("one of a million", ["123456"], 1...200), ("a part that all have", ["graph"], 100...100),
            ("a rare and a common part", ["photograph", "7771"], 100...100),
            ("nothing", ["no such name"], 0...0), ("the beginning of a word", ["9"], 100...100),
            ("parts that few have together", ["0001", "000"], 1...100),
        ] {
            var count = 0
            let query = SearchQuery(words: words)
            let (ours, theirs) = try Measure.medians {
                count = try search.search(query).count
            } _: {
                // The peer is a program that scans all names.
                _ = try? BenchmarkChild.output(ofProgram: "/bin/grep", ["-icF", words[0], list])
            }
            guard found.contains(count) else {
                throw WrongAnswer(description: "\(count) items were found for \(words)")
            }
            print(name, ours, theirs, separator: "\t")
        }
        try askOtherwise(search)
        search.close()
        print("peak", try Measure.peakResident(), separator: "\t")
    }

    /// Marks a thousand files as used, ten thousand with a tag, and ten of them with another tag.
    private static func mark(_ index: Index) throws {
        let (tag, tags) = (TagList.data(of: ["Holiday"]), TagList.data(of: ["Holiday", "Urgent"]))
        try index.write { writer throws(IndexError) in
            for number in 2000..<3000 {
                try writer.noteUse(of: ItemNumber(rawValue: Int64(number)), at: 1_700_000_000 + Double(number))
            }
            for place in 0..<10_000 {
                let facts = ItemMetadata(tagData: place % 1000 == 500 ? tags : tag)
                try writer.setMetadata(.tags, of: ItemNumber(rawValue: Int64(2000 + place * 99)), facts)
            }
        }
    }

    /// Measures queries by criteria other than words, alone and combined with words.
    private static func askOtherwise(_ search: SearchIndex) throws {
        func ask(_ name: String, _ found: ClosedRange<Int>, _ change: (inout SearchQuery) -> Void) throws {
            var query = SearchQuery()
            change(&query)
            let wanted = query
            var count = 0
            let seconds = try Measure.median { count = try search.search(wanted).count }
            guard found.contains(count) else { throw WrongAnswer(description: "\(count) items were found by \(name)") }
            print(name, seconds, separator: "\t")
        }
        let day = 86_400.0
        try ask("a type that nearly all have", 100...100) { $0.types = ["public.image"] }
        try ask("a type that one in a thousand has", 100...100) { $0.types = ["com.adobe.pdf"] }
        try ask("a name of a type", 1...100) { ($0.words, $0.types) = (["7771"], ["public.image"]) }
        try ask("a name of a type that few have", 1...100) { ($0.words, $0.types) = (["77"], ["com.adobe.pdf"]) }
        try ask("a tag of ten thousand", 100...100) { $0.tags = ["holiday"] }
        try ask("a tag of ten", 10...10) { $0.tags = ["urgent"] }
        try ask("a tag and a name", 0...1) { ($0.words, $0.tags) = (["photograph 500"], ["urgent"]) }
        try ask("a day years ago", 100...100) {
            ($0.since, $0.before) = (IndexTree.earliest + 1000 * day, IndexTree.earliest + 1001 * day)
        }
        try ask("the first day of all", 100...100) { $0.before = IndexTree.earliest + day }
        try ask("an hour years ago", 12...12) {
            ($0.since, $0.before) = (IndexTree.earliest + 500 * day, IndexTree.earliest + 500 * day + 3600)
        }
        try ask("a name, a type and a year", 1...100) {
            ($0.words, $0.types) = (["15"], ["public.jpeg"])
            ($0.since, $0.before) = (IndexTree.earliest + 365 * day, IndexTree.earliest + 730 * day)
        }
    }

    private static func writeNames(to path: String) throws {
        var names: [UInt8] = []
        for number in 0..<IndexTree.count { names += "Photograph \(number).jpeg\n".utf8 }
        let file = try FileDescriptor.open(path, [.writeOnly, .create])
        try names.withUnsafeBytes { try file.writeAll($0) }
    }
}

/// The error of a search with an unexpected number of results.
private struct WrongAnswer: Error, CustomStringConvertible {
    let description: String
}
