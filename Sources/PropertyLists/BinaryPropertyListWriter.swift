import Foundation

/// A writer of binary property lists. Objects are added one by one, and a container after its contents. Each addition
/// returns the object's index.
///
/// Unlike Foundation's writer, it can write the references of keyed archives (`CF$UID`).
package struct BinaryPropertyListWriter {
    /// The position of each object in the list, in bytes.
    private var offsets: [Int] = []
    private var bytes = Array("bplist00".utf8)
    /// The containers. Their references are written last, since the size of a reference depends on the number of
    /// objects.
    private var containers: [(object: Int, marker: UInt8, count: Int, references: [Int])] = []
    private var pieces: [[UInt8]] = []

    package init() {}

    package mutating func add(text: String) -> Int {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return add(0x50, count: text.utf8.count, Array(text.utf8)) }
        let units = Array(text.utf16)
        return add(0x60, count: units.count, units.flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] })
    }

    package mutating func add(data: Data) -> Int { add(0x40, count: data.count, Array(data)) }

    package mutating func add(bool: Bool) -> Int { add([bool ? 0x09 : 0x08]) }

    package mutating func add(integer: Int64) -> Int { add([0x13] + Self.bigEndian(UInt64(bitPattern: integer), 8)) }

    /// Adds an unsigned integer. A number beyond `Int64` takes sixteen bytes.
    package mutating func add(unsigned: UInt64) -> Int {
        guard let integer = Int64(exactly: unsigned) else {
            return add([0x14] + [UInt8](repeating: 0, count: 8) + Self.bigEndian(unsigned, 8))
        }
        return add(integer: integer)
    }

    package mutating func add(real: Double) -> Int { add([0x23] + Self.bigEndian(real.bitPattern, 8)) }

    package mutating func add(date: Date) -> Int {
        add([0x33] + Self.bigEndian(date.timeIntervalSinceReferenceDate.bitPattern, 8))
    }

    /// Adds a reference (`CF$UID`) to the object with the given number in a keyed archive.
    package mutating func add(uid: Int) -> Int { add([0x83] + Self.bigEndian(UInt64(uid), 4)) }

    package mutating func add(array: [Int]) -> Int { addContainer(0xA0, count: array.count, array) }

    /// Adds a dictionary of keys and values that were added before.
    package mutating func add(dictionary: [(key: Int, value: Int)]) -> Int {
        addContainer(0xD0, count: dictionary.count, dictionary.map(\.key) + dictionary.map(\.value))
    }

    /// Returns the list. Its root is the object that was added last.
    package consuming func finish() -> Data {
        let referenceSize = Self.size(of: pieces.count)
        for container in containers {
            pieces[container.object] =
                Self.head(container.marker, container.count)
                + container.references.flatMap { Self.bigEndian(UInt64($0), referenceSize) }
        }
        for piece in pieces {
            offsets.append(bytes.count)
            bytes += piece
        }
        let table = bytes.count
        let offsetSize = Self.size(of: table)
        for offset in offsets { bytes += Self.bigEndian(UInt64(offset), offsetSize) }
        bytes += [0, 0, 0, 0, 0, 0, UInt8(offsetSize), UInt8(referenceSize)]
        for number in [pieces.count, pieces.count - 1, table] { bytes += Self.bigEndian(UInt64(number), 8) }
        return Data(bytes)
    }

    private mutating func add(_ piece: [UInt8]) -> Int {
        pieces.append(piece)
        return pieces.count - 1
    }

    private mutating func add(_ marker: UInt8, count: Int, _ contents: [UInt8]) -> Int {
        add(Self.head(marker, count) + contents)
    }

    private mutating func addContainer(_ marker: UInt8, count: Int, _ references: [Int]) -> Int {
        let object = add([])
        containers.append((object, marker, count, references))
        return object
    }

    private static func head(_ marker: UInt8, _ count: Int) -> [UInt8] {
        count < 15 ? [marker | UInt8(count)] : [marker | 0xF, 0x13] + bigEndian(UInt64(count), 8)
    }

    /// Returns the size in bytes of an integer that can hold `number`: 1, 2, 4 or 8, the sizes that all readers accept.
    private static func size(of number: Int) -> Int {
        switch number {
        case ..<(1 << 8): 1
        case ..<(1 << 16): 2
        case ..<(1 << 32): 4
        default: 8
        }
    }

    private static func bigEndian(_ number: UInt64, _ size: Int) -> [UInt8] {
        (0..<size).map { UInt8(truncatingIfNeeded: number >> (8 * (size - 1 - $0))) }
    }
}
