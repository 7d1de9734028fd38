extension FileNameIndex {
    /// A hash table (with open addressing) from the text of a pattern to the types with this pattern. The hash is
    /// computed over the bytes from the last to the first.
    struct TextTable: Sendable {
        /// The treatment of upper and lower case in one pass over the patterns.
        enum Pass {
            /// The name has no upper-case letters so far. Therefore one pass serves patterns that ignore case and
            /// patterns that respect it.
            case plain
            /// The name in lower case is compared with the patterns that ignore case.
            case folded
            /// The unchanged name is compared with the patterns that respect case.
            case exact

            @inline(__always)
            func folded(_ byte: UInt8) -> UInt8 { self == .folded ? byte.foldedASCII : byte }

            @inline(__always)
            fileprivate func accepts(_ value: Value) -> Bool {
                switch self {
                case .plain: true
                case .folded: !value.isCaseSensitive
                case .exact: value.isCaseSensitive
                }
            }
        }

        /// The type of a pattern, and the pattern's weight and treatment of case.
        struct Value: Sendable {
            let type: MIMETypeNames.ID
            let weight: UInt8
            let isCaseSensitive: Bool
        }

        /// A text, and the types that have the text as a pattern: `values[first..<first + count]`.
        private struct Group: Sendable {
            let hash: UInt32
            /// The offset of the text in ``texts``.
            let text: Int32
            let length: Int32
            var first: Int32
            var count: Int32
        }

        // Flat arrays of plain numbers, so that a look-up needs no reference counting.
        private var groups: [Group] = []
        private var values: [Value] = []
        private var texts: [UInt8] = []
        /// The number of each slot's group, or -1 for a free slot. The number of slots is a power of two, and at least
        /// half of them are free.
        private var slots: [Int32]
        static let emptyHash: UInt32 = 0x811C_9DC5

        @inline(__always)
        static func hash(_ hash: UInt32, _ byte: UInt8) -> UInt32 { (hash ^ UInt32(byte)) &* 0x0100_0193 }

        /// Creates the table. The patterns are in order of precedence. Patterns with the same text stay in that order.
        init(_ all: [Pattern]) {
            var size = 64
            while size < all.count * 2 { size *= 2 }
            slots = Array(repeating: -1, count: size)
            // First the texts are counted, then the values of each text are stored side by side.
            var numbers: [Int32?] = []
            numbers.reserveCapacity(all.count)
            for pattern in all { numbers.append(addText(pattern.text)) }
            var first: Int32 = 0
            for index in groups.indices {
                groups[index].first = first
                first += groups[index].count
                groups[index].count = 0
            }
            values = Array(repeating: Value(type: -1, weight: 0, isCaseSensitive: false), count: Int(first))
            for case (let pattern, let number?) in zip(all, numbers) {
                let group = groups[Int(number)]
                values[Int(group.first + group.count)] = Value(
                    type: pattern.type, weight: pattern.weight, isCaseSensitive: pattern.isCaseSensitive)
                groups[Int(number)].count += 1
            }
        }

        /// Adds one to the number of types that have the given text as a pattern. Returns the number of the text's
        /// group; `nil` if the group already has the maximum number of types.
        private mutating func addText(_ text: [UInt8]) -> Int32? {
            var hash = Self.emptyHash
            for byte in text.reversed() { hash = Self.hash(hash, byte) }
            let mask = slots.count - 1
            var slot = Self.slot(hash) & mask
            while slots[slot] >= 0 {
                let group = Int(slots[slot])
                if groups[group].hash == hash, text.withUnsafeBytes({ isText(groups[group], $0, .plain) }) {
                    guard groups[group].count < GlobMatches.mostMatches else { return nil }
                    groups[group].count += 1
                    return Int32(group)
                }
                slot = (slot + 1) & mask
            }
            slots[slot] = Int32(groups.count)
            groups.append(
                Group(hash: hash, text: Int32(texts.count), length: Int32(text.count), first: 0, count: 1))
            texts += text
            return slots[slot]
        }

        /// The number of texts.
        var textCount: Int { groups.count }

        /// Adds a match for each type that has the given text as a pattern.
        ///
        /// - Parameter base: the number of the table's first text, so that the texts of several tables have different
        ///   numbers.
        func collect(
            _ text: UnsafeRawBufferPointer, _ hash: UInt32, _ pass: Pass, numberedFrom base: Int = 0,
            into matches: inout GlobMatches
        ) {
            let mask = slots.count &- 1
            var slot = Self.slot(hash) & mask
            while slots[slot] >= 0 {
                let group = groups[Int(slots[slot])]
                if group.hash == hash, isText(group, text, pass) {
                    let range = Int(group.first)..<Int(group.first &+ group.count)
                    let isWhole = range.allSatisfy { pass.accepts(values[$0]) }
                    for index in range where pass.accepts(values[index]) {
                        matches.add(
                            GlobMatches.Match(
                                type: values[index].type, weight: Int32(values[index].weight), length: group.length,
                                pattern: isWhole ? Int32(truncatingIfNeeded: base) &+ slots[slot] : -1))
                    }
                    return
                }
                slot = (slot &+ 1) & mask
            }
        }

        /// Returns every pattern of a type, as text, with its weight.
        func patterns(of type: MIMETypeNames.ID) -> [(text: ArraySlice<UInt8>, weight: UInt8)] {
            groups.flatMap { group in
                values[Int(group.first)..<Int(group.first + group.count)].filter { $0.type == type }.map {
                    (texts[Int(group.text)..<Int(group.text + group.length)], $0.weight)
                }
            }
        }

        @inline(__always)
        private func isText(_ group: Group, _ text: UnsafeRawBufferPointer, _ pass: Pass) -> Bool {
            guard Int(group.length) == text.count else { return false }
            for index in 0..<text.count where texts[Int(group.text) &+ index] != pass.folded(text[index]) {
                return false
            }
            return true
        }

        /// Mixes the hash, because its low bits depend mostly on the first byte.
        @inline(__always)
        private static func slot(_ hash: UInt32) -> Int { Int(hash ^ hash >> 15) }
    }
}
