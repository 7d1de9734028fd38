/// The names of all types that the caches contain. Each name is stored once and has a number.
struct MIMETypeNames: Sendable {
    /// A number that represents the name of a type within one database.
    typealias ID = Int32

    private(set) var names: [String] = []
    private var numbers: [String: ID] = [:]

    init() {
        names.reserveCapacity(2048)
        numbers.reserveCapacity(2048)
    }

    /// Returns the number of a name. A new name gets a new number.
    mutating func intern(_ name: String) -> ID {
        if let number = numbers[name] { return number }
        let number = ID(names.count)
        names.append(name)
        numbers[name] = number
        return number
    }

    /// Returns the number of a name, or `nil` if no cache contains the name.
    func number(of name: String) -> ID? { numbers[name] }

    @inline(__always)
    subscript(_ number: ID) -> String { names[Int(number)] }
}

/// A hash table with open addressing, from the offset of a type's name in one cache file to the number of the type. Its
/// keys are the offsets, so that a look-up does not read the name.
struct MIMETypeOffsets: Sendable {
    private var keys: [UInt32] = Array(repeating: 0, count: 1024)
    private var values: [MIMETypeNames.ID] = Array(repeating: -1, count: 1024)
    /// The number of offsets that were added.
    private(set) var count = 0

    /// Returns the type whose name is at the given offset, or -1 if the offset was not added.
    @inline(__always)
    subscript(_ offset: Int) -> MIMETypeNames.ID {
        let key = UInt32(truncatingIfNeeded: offset)
        let mask = keys.count &- 1
        var slot = Self.hash(key) & mask
        while keys[slot] != 0 {
            if keys[slot] == key { return values[slot] }
            slot = (slot &+ 1) & mask
        }
        return -1
    }

    mutating func add(_ offset: Int, _ type: MIMETypeNames.ID) {
        if count * 2 >= keys.count { grow() }
        insert(UInt32(truncatingIfNeeded: offset), type)
    }

    private mutating func insert(_ key: UInt32, _ value: MIMETypeNames.ID) {
        let mask = keys.count - 1
        var slot = Self.hash(key) & mask
        while keys[slot] != 0 { slot = (slot + 1) & mask }
        keys[slot] = key
        values[slot] = value
        count += 1
    }

    private mutating func grow() {
        let old = zip(keys, values).filter { $0.0 != 0 }
        keys = Array(repeating: 0, count: keys.count * 2)
        values = Array(repeating: -1, count: keys.count)
        count = 0
        for (key, value) in old { insert(key, value) }
    }

    @inline(__always)
    private static func hash(_ key: UInt32) -> Int { Int((key &* 0x9E37_79B1) >> 12) }
}
