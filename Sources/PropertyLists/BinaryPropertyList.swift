import Foundation

/// The objects of a binary property list, read without Foundation. Numbers, dates and data are validated, but not
/// decoded.
///
/// Creating this value validates a list before Foundation decodes it, because Foundation's own readers crash on some
/// inputs, and never return on others. The initializer throws for references out of range, containers that contain
/// themselves, nesting beyond ``deepest``, lists whose expanded size exceeds the limits, and objects that are invalid
/// in a property list.
package struct BinaryPropertyList {
    package enum Object: Equatable {
        case uid(Int)
        case text(String)
        case array([Int])
        /// The indices of each key and of its value.
        case dictionary([Pair])
        case data(count: Int)
        case number
        case bool
        case date
    }

    package struct Pair: Equatable {
        package let key: Int
        package let value: Int
    }

    package struct Malformed: Error {}

    package private(set) var objects: [Object] = []
    package let root: Int
    /// The size of each object in bytes, without its children.
    private var sizes: [Int] = []

    private static let deepest = 200
    private static let mostObjects = 1 << 20
    /// The maximum expanded size in bytes of a list of at most 16 MiB. A larger list may expand to four times its own
    /// size. The expanded size counts an object once for each reference, because Foundation makes a copy for each.
    private static let mostBytes = 64 << 20

    package init(_ data: Data) throws(Malformed) {
        let bytes = [UInt8](data)
        guard bytes.count >= 40, bytes.starts(with: Array("bplist00".utf8)) else { throw Malformed() }
        let trailer = bytes.count - 32
        func number(_ position: Int, _ size: Int) throws(Malformed) -> Int {
            guard size >= 1, size <= 8, position >= 0, position + size <= bytes.count else { throw Malformed() }
            let value = bytes[position..<position + size].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            guard let result = Int(exactly: value) else { throw Malformed() }
            return result
        }
        let offsetSize = Int(bytes[trailer + 6])
        let referenceSize = Int(bytes[trailer + 7])
        let count = try number(trailer + 8, 8)
        root = try number(trailer + 16, 8)
        let table = try number(trailer + 24, 8)
        let total = count
        guard count > 0, count <= Self.mostObjects, root < count, table >= 8, table <= trailer,
            offsetSize >= 1, count <= (trailer - table) / offsetSize
        else { throw Malformed() }
        for index in 0..<count {
            let position = try number(table + index * offsetSize, offsetSize)
            guard position >= 8, position < table else { throw Malformed() }
            let marker = bytes[position]
            let kind = marker >> 4
            var length = Int(marker & 0xF)
            var next = position + 1
            if length == 0xF, [0x4, 0x5, 0x6, 0xA, 0xD].contains(kind) {
                guard next < table, bytes[next] >> 4 == 1 else { throw Malformed() }
                let size = 1 << Int(bytes[next] & 0xF)
                length = try number(next + 1, size)
                next += 1 + size
            }
            func references(_ count: Int, from start: Int) throws(Malformed) -> [Int] {
                guard referenceSize >= 1, count <= (table - start) / referenceSize else { throw Malformed() }
                var result: [Int] = []
                for item in 0..<count { result.append(try number(start + item * referenceSize, referenceSize)) }
                guard result.allSatisfy({ $0 < total }) else { throw Malformed() }
                return result
            }
            // A length that exceeds the file could overflow when it is multiplied.
            guard next <= table, length <= table else { throw Malformed() }
            sizes.append(kind == 0x6 ? 2 * length : length)
            switch kind {
            case 0x5:
                guard length <= table - next, bytes[next..<next + length].allSatisfy({ $0 < 0x80 }) else {
                    throw Malformed()
                }
                objects.append(.text(String(decoding: bytes[next..<next + length], as: UTF8.self)))
            case 0x6:
                guard length <= (table - next) / 2 else { throw Malformed() }
                let units = (0..<length).map { UInt16(bytes[next + 2 * $0]) << 8 | UInt16(bytes[next + 2 * $0 + 1]) }
                objects.append(.text(String(decoding: units, as: UTF16.self)))
            case 0x8:
                objects.append(.uid(try number(next, Int(marker & 0xF) + 1)))
            case 0xA:
                objects.append(.array(try references(length, from: next)))
            case 0xD:
                let keys = try references(length, from: next)
                let values = try references(length, from: next + length * referenceSize)
                objects.append(.dictionary(zip(keys, values).map { Pair(key: $0, value: $1) }))
            case 0x4:
                guard length <= table - next else { throw Malformed() }
                objects.append(.data(count: length))
            case 0x0 where marker == 0x08 || marker == 0x09:
                objects.append(.bool)
            case 0x1 where length <= 4, 0x2 where length == 2 || length == 3, 0x3 where length == 3:
                guard 1 << length <= table - next else { throw Malformed() }
                objects.append(kind == 0x3 ? .date : .number)
            default:
                // Foundation crashes on sets and on other objects.
                throw Malformed()
            }
        }
        try checkKeys()
        try checkReferences(largest: max(Self.mostBytes, 4 * bytes.count))
    }

    /// Checks that the keys of every dictionary are texts and unique. If a key occurs twice, Foundation does not define
    /// which of the two values is used.
    private func checkKeys() throws(Malformed) {
        for case .dictionary(let pairs) in objects {
            var seen: Set<String> = []
            for pair in pairs {
                guard let key = text(pair.key), seen.insert(key).inserted else { throw Malformed() }
            }
        }
    }

    /// Checks that no container contains itself, that the nesting is not too deep, and that the expanded size is within
    /// the limits. The expanded size counts an object once for each reference.
    private func checkReferences(largest: Int) throws(Malformed) {
        /// The expanded size of each object, or `nil` until it is known.
        var measured = [Measure?](repeating: nil, count: objects.count)
        var isOpen = [Bool](repeating: false, count: objects.count)
        var stack = [(index: root, isLeaving: false)]
        while let (index, isLeaving) = stack.popLast() {
            if isLeaving {
                isOpen[index] = false
                var whole = Measure(objects: 1, bytes: sizes[index], height: 1)
                for child in children(index) {
                    guard let part = measured[child] else { throw Malformed() }
                    whole.add(part)
                }
                guard whole.height <= Self.deepest, whole.objects <= Self.mostObjects, whole.bytes <= largest else {
                    throw Malformed()
                }
                measured[index] = whole
                continue
            }
            if isOpen[index] { throw Malformed() }
            if measured[index] != nil { continue }
            isOpen[index] = true
            stack.append((index, true))
            for child in children(index) where measured[child] == nil { stack.append((child, false)) }
        }
    }

    /// The expanded size of an object with all that it contains. Sums cannot overflow, because each summand was checked
    /// against the limits before.
    private struct Measure {
        var objects: Int
        var bytes: Int
        var height: Int

        mutating func add(_ part: Measure) {
            objects += part.objects
            bytes += part.bytes
            height = max(height, part.height + 1)
        }
    }

    private func children(_ index: Int) -> [Int] {
        switch objects[index] {
        case .array(let items): items
        case .dictionary(let pairs): pairs.flatMap { [$0.key, $0.value] }
        default: []
        }
    }

    /// Returns the text of the object with the given index, or `nil` if the object is not a text.
    package func text(_ index: Int) -> String? {
        if case .text(let text) = objects[index] { return text }
        return nil
    }

    /// Returns the index of the value that the dictionary with the given index has for a key. Returns `nil` if the
    /// object is not a dictionary or does not have the key.
    package func value(_ index: Int, _ key: String) -> Int? {
        guard case .dictionary(let pairs) = objects[index] else { return nil }
        return pairs.first { text($0.key) == key }?.value
    }
}

/// A reader of property lists from untrusted sources. All such lists are decoded through it.
///
/// A list in the binary form is validated first, see ``BinaryPropertyList``: Foundation crashes on some contents, and a
/// list of a few hundred bytes can refer to its parts so often that it would fill the memory. The two textual forms
/// have no references, and Foundation limits their depth.
package enum ForeignPropertyList {
    /// The error for a list that is refused before Foundation decodes it.
    package struct Refused: LocalizedError {
        package var errorDescription: String? { "the binary property list is damaged, or unfolds to too much" }
    }

    /// Decodes a property list.
    ///
    /// - Throws: ``Refused``, or Foundation's error for data that is not a property list.
    package static func read(_ data: Data) throws -> Any {
        if isBinary(data), (try? BinaryPropertyList(data)) == nil { throw Refused() }
        return try PropertyListSerialization.propertyList(from: data, format: nil)
    }

    /// Decodes a list whose root is a dictionary. Returns `nil` for any other data.
    package static func dictionary(_ data: Data) -> [String: Any]? {
        (try? read(data)) as? [String: Any]
    }

    /// Whether the data starts with the signature of a binary property list.
    package static func isBinary(_ data: Data) -> Bool {
        data.starts(with: Data("bplist".utf8))
    }
}
