/// The magic rules of all caches, prepared for fast matching.
///
/// A rule is a type with a priority and a tree of *matchlets*: byte patterns, each at an offset or anywhere in a range
/// of offsets. A top matchlet must match, then one of its children, and so on (specification, "The magic files").
/// Trying 500 rules in turn would cost microseconds, so the patterns at the top are found through these indexes:
///
/// - patterns at a fixed offset that many patterns share: a table, indexed by the byte at the offset
/// - other patterns at a fixed offset: a list
/// - patterns in a short range: one pass over the range, with a filter of their first two bytes
/// - patterns in a long range: a search for the rarest of their bytes
struct MagicProgram: Sendable {
    /// A type, and the priority of a match: 0 to 100, 50 by default.
    struct Rule: Sendable {
        let type: MIMETypeNames.ID
        let priority: Int32
    }

    /// A pattern of bytes and its children.
    struct Matchlet: Sendable {
        /// The first offset at which the pattern may start. `range` is the number of such offsets.
        var start: Int
        var range: Int
        /// The offset of the pattern in ``bytes``. If the pattern has a mask, the mask follows it.
        var value: Int
        var length: Int
        var isMasked: Bool
        /// The first eight bytes of the pattern, masked. `prefixMask` is their mask. Both are 0 beyond the end of a
        /// shorter pattern.
        var prefix: UInt64
        var prefixMask: UInt64
        /// The index of the pattern's byte that is rarest in files.
        var rarest: Int
        var firstChild: Int
        var childCount: Int

        /// The first offset at which the pattern can no longer start.
        @inline(__always)
        var end: Int { start &+ range }
    }

    /// An entry of an index: the numbers of a rule and of one of its top matchlets.
    struct Entry: Sendable {
        let rule: Int32
        let matchlet: Int32
    }

    /// The patterns at one fixed offset, by their first byte: the patterns for byte `b` are
    /// `entries[starts[b]..<starts[b + 1]]`.
    struct Table: Sendable {
        let offset: Int
        var starts: [Int32]
        var entries: [Entry]
    }

    /// The rules in order of preference: by priority, then by the precedence of their caches, then as in the cache.
    var rules: [Rule] = []
    var matchlets: [Matchlet] = []
    /// The values and masks of all matchlets. They are copies for two reasons: host-endian values must be swapped, and
    /// a match then accesses a few cache lines instead of many pages of the files.
    var bytes: [UInt8] = []

    var tables: [Table] = []
    var lone: [Entry] = []
    var short: [Entry] = []
    var long: [Entry] = []
    /// The end of the last short range.
    var shortEnd = 0
    /// A bit for each pair of bytes that a pattern in a short range starts with.
    var pairs: [UInt64] = []
    /// The patterns in short ranges by a hash of their first two bytes: `short[pairStarts[h]..<pairStarts[h + 1]]`.
    var pairStarts: [Int32] = []

    /// The number of bytes from the start of a file that the rules can examine.
    var extent = 0

    @inline(__always)
    static func pairHash(_ first: UInt8, _ second: UInt8) -> Int {
        Int((UInt32(first) &* 31 &+ UInt32(second)) & 0xFF)
    }
}
