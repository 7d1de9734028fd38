import Foundation
import UniformTypeIdentifiers

/// A writer of `mime.cache` files (version 1.2) for tests, which writes what `update-mime-database` would.
struct MIMECacheBuilder {
    struct Pattern {
        var text: String
        var type: String
        var weight = 50
        var isCaseSensitive = false
    }

    struct Matchlet {
        var offset = 0
        var range = 1
        var wordSize = 1
        var value: [UInt8]
        var mask: [UInt8]?
        var children: [Matchlet] = []

        init(
            _ value: String, at offset: Int = 0, range: Int = 1, children: [Matchlet] = []
        ) {
            self.init(Array(value.utf8), at: offset, range: range, children: children)
        }

        init(
            _ value: [UInt8], at offset: Int = 0, range: Int = 1, wordSize: Int = 1, mask: [UInt8]? = nil,
            children: [Matchlet] = []
        ) {
            self.value = value
            self.offset = offset
            self.range = range
            self.wordSize = wordSize
            self.mask = mask
            self.children = children
        }
    }

    struct Rule {
        var type: String
        var priority = 50
        var matchlets: [Matchlet]
    }

    var aliases: [String: String] = [:]
    var parents: [String: [String]] = [:]
    var literals: [Pattern] = []
    /// The suffix patterns, without the star.
    var suffixes: [Pattern] = []
    var globs: [Pattern] = []
    var rules: [Rule] = []
    var namespaces: [(namespace: String, element: String, type: String)] = []

    /// Returns the file's bytes.
    func bytes() -> [UInt8] {
        var writer = Writer()
        // The lists follow the header. The strings come last, when all of them are known.
        writer.list(at: 4) { writer in
            let sorted = aliases.sorted { $0.key < $1.key }
            writer.word(sorted.count)
            for (alias, type) in sorted {
                writer.string(alias)
                writer.string(type)
            }
        }
        writer.list(at: 8) { writer in
            let sorted = parents.sorted { $0.key < $1.key }
            writer.word(sorted.count)
            let places = sorted.map { type, _ in
                writer.string(type)
                return writer.reserve()
            }
            for (place, entry) in zip(places, sorted) {
                writer.patch(place, writer.count)
                writer.word(entry.value.count)
                for parent in entry.value { writer.string(parent) }
            }
        }
        writer.list(at: 12) { writer in
            writer.patterns(literals.sorted { Array($0.text.utf8).lexicographicallyPrecedes(Array($1.text.utf8)) })
        }
        writer.list(at: 16) { writer in
            let root = SuffixNode(suffixes)
            writer.word(root.children.count)
            let place = writer.reserve()
            writer.suffixLevel(root, place)
        }
        writer.list(at: 20) { $0.patterns(globs) }
        writer.list(at: 24) { writer in
            let sorted = rules.enumerated().sorted {
                ($1.element.priority, $0.offset) < ($0.element.priority, $1.offset)
            }
            writer.word(sorted.count)
            writer.word(0)
            let first = writer.reserve()
            writer.patch(first, writer.count)
            let places = sorted.map { _, rule in
                writer.word(rule.priority)
                writer.string(rule.type)
                writer.word(rule.matchlets.count)
                return writer.reserve()
            }
            for (place, entry) in zip(places, sorted) { writer.matchlets(entry.element.matchlets, place) }
        }
        writer.list(at: 28) { writer in
            writer.word(namespaces.count)
            for entry in namespaces {
                writer.string(entry.namespace)
                writer.string(entry.element)
                writer.string(entry.type)
            }
        }
        return writer.finished()
    }

    /// Writes the file as `mime.cache` into a directory and returns its path.
    func write(to folder: TemporaryFolder, _ name: String = "mime.cache") throws -> String {
        try folder.file(name, Data(bytes())).path
    }

    /// Returns a database of this cache alone.
    func database() throws -> MIMEDatabase? {
        let folder = try TemporaryFolder()
        return MIMEDatabase(cachePaths: [try write(to: folder)])
    }
}

/// A node for a character of a suffix, read from the end, with the characters before it as children.
private final class SuffixNode {
    var children: [(character: Unicode.Scalar, node: SuffixNode)] = []
    var leaves: [MIMECacheBuilder.Pattern] = []

    init(_ suffixes: [MIMECacheBuilder.Pattern] = []) {
        for suffix in suffixes {
            var node = self
            for character in suffix.text.unicodeScalars.reversed() {
                if let child = node.children.first(where: { $0.character == character }) {
                    node = child.node
                } else {
                    let child = SuffixNode()
                    node.children.append((character, child))
                    node.children.sort { $0.character < $1.character }
                    node = child
                }
            }
            node.leaves.append(suffix)
        }
    }
}

/// A writer of words, and of the strings that they point to.
private struct Writer {
    private var bytes: [UInt8] = [0, 1, 0, 2] + [UInt8](repeating: 0, count: 36)
    private var strings: [(place: Int, bytes: [UInt8])] = []

    var count: Int { bytes.count }

    mutating func word(_ value: Int) {
        bytes += (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
    }

    mutating func reserve() -> Int {
        word(0)
        return count - 4
    }

    mutating func patch(_ place: Int, _ value: Int) {
        for index in 0..<4 { bytes[place + index] = UInt8(truncatingIfNeeded: value >> (24 - 8 * index)) }
    }

    /// Writes a word that points to a zero-terminated string.
    mutating func string(_ text: String) {
        blob(Array(text.utf8) + [0])
    }

    mutating func blob(_ blob: [UInt8]) {
        strings.append((reserve(), blob))
    }

    mutating func list(at place: Int, _ write: (inout Writer) -> Void) {
        patch(place, count)
        write(&self)
    }

    mutating func patterns(_ patterns: [MIMECacheBuilder.Pattern]) {
        word(patterns.count)
        for pattern in patterns {
            string(pattern.text)
            string(pattern.type)
            word(pattern.weight | (pattern.isCaseSensitive ? 0x100 : 0))
        }
    }

    mutating func suffixLevel(_ node: SuffixNode, _ pointer: Int) {
        patch(pointer, count)
        for leaf in node.leaves {
            word(0)
            string(leaf.type)
            word(leaf.weight | (leaf.isCaseSensitive ? 0x100 : 0))
        }
        let places = node.children.map { character, child in
            word(Int(character.value))
            word(child.children.count + child.leaves.count)
            return reserve()
        }
        for (place, child) in zip(places, node.children) { suffixLevel(child.node, place) }
    }

    mutating func matchlets(_ matchlets: [MIMECacheBuilder.Matchlet], _ pointer: Int) {
        patch(pointer, count)
        let places = matchlets.map { matchlet in
            word(matchlet.offset)
            word(matchlet.range)
            word(matchlet.wordSize)
            word(matchlet.value.count)
            blob(matchlet.value)
            if let mask = matchlet.mask { blob(mask) } else { word(0) }
            word(matchlet.children.count)
            return reserve()
        }
        for (place, matchlet) in zip(places, matchlets) { self.matchlets(matchlet.children, place) }
    }

    func finished() -> [UInt8] {
        var result = self
        for (place, blob) in strings {
            result.patch(place, result.count)
            result.bytes += blob
        }
        return result.bytes
    }
}
