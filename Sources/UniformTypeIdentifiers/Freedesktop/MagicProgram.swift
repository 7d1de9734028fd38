/// The magic rules of all caches, made ready for fast matching.
///
/// A rule is a type with a priority and a tree of *matchlets*: byte patterns, each at an offset or anywhere in a range
/// of offsets, of which one at the top must match, and below it one of its children, and so on (specification, "The
/// magic files"). Trying 500 rules in turn would cost microseconds, so that the patterns at the top are found through
/// three indexes instead:
///
/// - patterns at a fixed offset where many have theirs: a table of the byte found there
/// - other patterns at a fixed offset: a list
/// - patterns in a short range: one pass over the range, with a filter of the two bytes they start with
/// - patterns in a long range: a search for the rarest of their bytes
struct MagicProgram: Sendable {
    /// A type, and how much a match means: 0 to 100, 50 by default.
    struct Rule: Sendable {
        let type: MIMETypeNames.ID
        let priority: Int32
    }

    /// A pattern of bytes and what must match below it.
    struct Matchlet: Sendable {
        /// The first offset at which the pattern may start, and how many offsets there are.
        var start: Int
        var range: Int
        /// The pattern in ``bytes``; its mask follows it there if it has one.
        var value: Int
        var length: Int
        var isMasked: Bool
        /// The first eight bytes of the pattern, masked, and their mask; 0 beyond a shorter pattern.
        var prefix: UInt64
        var prefixMask: UInt64
        /// The byte of the pattern that is rarest in files.
        var rarest: Int
        var firstChild: Int
        var childCount: Int

        /// The offset at which the pattern can no longer start.
        @inline(__always)
        var end: Int { start &+ range }
    }

    /// A pattern at the top of a rule, as the indexes keep it.
    struct Entry: Sendable {
        let rule: Int32
        let matchlet: Int32
    }

    /// The patterns that are at one fixed offset, by the first byte: those for byte `b` are
    /// `entries[starts[b]..<starts[b + 1]]`.
    struct Table: Sendable {
        let offset: Int
        var starts: [Int32]
        var entries: [Entry]
    }

    /// In order of preference: by priority, then by the precedence of their caches, then as in the cache.
    var rules: [Rule] = []
    var matchlets: [Matchlet] = []
    /// The values and masks of all matchlets: copies, as host-endian ones have to be swapped, and as a match then
    /// touches a few lines of memory instead of pages all over the caches.
    var bytes: [UInt8] = []

    var tables: [Table] = []
    var lone: [Entry] = []
    var short: [Entry] = []
    var long: [Entry] = []
    /// Where the last of the short ranges ends.
    var shortEnd = 0
    /// A bit for each pair of bytes that some pattern in a short range starts with.
    var pairs: [UInt64] = []
    /// The patterns in short ranges by a hash of their first two bytes: `short[pairStarts[h]..<pairStarts[h + 1]]`.
    var pairStarts: [Int32] = []

    /// How many bytes from the start of a file the rules can ask for.
    var extent = 0

    @inline(__always)
    static func pairHash(_ first: UInt8, _ second: UInt8) -> Int {
        Int((UInt32(first) &* 31 &+ UInt32(second)) & 0xFF)
    }
}
