extension FileNameIndex {
    /// Patterns by their whole text, in an open hash table. The hash goes over the bytes from the last to the first.
    struct TextTable: Sendable {
        /// How letters are compared in one pass over the patterns.
        enum Pass {
            /// The name has no upper case: one pass serves patterns of both kinds.
            case plain
            /// The name in lower case against patterns that ignore case.
            case folded
            /// The name as it is against patterns that respect case.
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

        /// What a pattern stands for.
        struct Value: Sendable {
            let type: MIMETypeNames.ID
            let weight: UInt8
            let isCaseSensitive: Bool
        }

        /// A text, and the types that have it as a pattern: `values[first..<first + count]`.
        private struct Group: Sendable {
            let hash: UInt32
            /// Where the text is in ``texts``.
            let text: Int32
            let length: Int32
            let first: Int32
            let count: Int32
        }

        // Flat arrays of plain numbers: a lookup counts no references.
        private var groups: [Group] = []
        private var values: [Value] = []
        private var texts: [UInt8] = []
        /// For each slot the number of its group, or -1. A power of two, at least half of it free.
        private var slots: [Int32]
        /// The length in bytes of the longest pattern.
        private(set) var longest = 0

        static let emptyHash: UInt32 = 0x811C_9DC5

        @inline(__always)
        static func hash(_ hash: UInt32, _ byte: UInt8) -> UInt32 { (hash ^ UInt32(byte)) &* 0x0100_0193 }

        /// Patterns in order of precedence; those of the same text stay in that order.
        init(_ all: [Pattern]) {
            var byText: [[UInt8]: [Pattern]] = [:]
            for pattern in all { byText[pattern.text, default: []].append(pattern) }
            var size = 64
            while size < byText.count * 2 { size *= 2 }
            slots = Array(repeating: -1, count: size)
            for (text, patterns) in byText {
                let hash = text.reversed().reduce(Self.emptyHash, Self.hash)
                var slot = Self.slot(hash) & (size - 1)
                while slots[slot] >= 0 { slot = (slot + 1) & (size - 1) }
                slots[slot] = Int32(groups.count)
                groups.append(
                    Group(
                        hash: hash, text: Int32(texts.count), length: Int32(text.count), first: Int32(values.count),
                        count: Int32(patterns.count)))
                texts += text
                values += patterns.map {
                    Value(type: $0.type, weight: $0.weight, isCaseSensitive: $0.isCaseSensitive)
                }
                longest = max(longest, text.count)
            }
        }

        /// Hands over what a text whose hash is known stands for.
        @inline(__always)
        func look(up text: UnsafeRawBufferPointer, _ hash: UInt32, _ pass: Pass, _ found: (Value) -> Void) {
            let mask = slots.count &- 1
            var slot = Self.slot(hash) & mask
            while slots[slot] >= 0 {
                let group = groups[Int(slots[slot])]
                if group.hash == hash, isText(group, text, pass) {
                    for index in Int(group.first)..<Int(group.first &+ group.count) where pass.accepts(values[index]) {
                        found(values[index])
                    }
                    return
                }
                slot = (slot &+ 1) & mask
            }
        }

        /// Every pattern of a type, as text, with its weight.
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

        /// The low bits of the hash alone are those of the first byte mostly.
        @inline(__always)
        private static func slot(_ hash: UInt32) -> Int { Int(hash ^ hash >> 15) }
    }
}
