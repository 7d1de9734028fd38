/// The aliases and supertypes of types (specification, "Subclassing").
struct MIMETypeRelations: Sendable {
    typealias ID = MIMETypeNames.ID

    /// The canonical form of each type: the target if the type is an alias, otherwise the type itself.
    private let canonical: [ID]
    /// The declared parents of type `t`: `parents[starts[t]..<starts[t + 1]]`.
    private let parents: [ID]
    private let starts: [Int32]
    private let implied: [Implied]

    /// The parent that a type's name alone implies.
    private enum Implied {
        case none
        case text(ID)
        case binary(ID)
    }

    /// The maximum number of aliases of aliases that are followed. It is needed because aliases may form a cycle.
    private static let longestChain = 8
    /// The maximum number of parents of one type. No type of Debian's database has more than two.
    private static let mostParents = 64

    /// Combines several caches, the one of highest precedence first.
    init(_ caches: [MIMECacheTypes], names: MIMETypeNames, _ wellKnown: MIMEDatabase.WellKnown) {
        let count = names.names.count
        var aliases = Array(repeating: ID(-1), count: count)
        var lists: [[ID]] = Array(repeating: [], count: count)
        for cache in caches {
            for (alias, type) in cache.aliases where aliases[Int(alias)] < 0 { aliases[Int(alias)] = type }
        }
        var canonical = Array(ID(0)..<ID(count))
        for type in canonical.indices {
            var target = ID(type)
            for _ in 0..<Self.longestChain where aliases[Int(target)] >= 0 { target = aliases[Int(target)] }
            canonical[type] = target
        }
        for cache in caches {
            for (type, parent) in cache.parents {
                let parent = canonical[Int(parent)]
                guard parent != type, lists[Int(type)].count < Self.mostParents, !lists[Int(type)].contains(parent)
                else { continue }
                lists[Int(type)].append(parent)
            }
        }
        var starts: [Int32] = [0]
        for list in lists { starts.append(starts[starts.count - 1] + Int32(list.count)) }
        self.canonical = canonical
        self.parents = lists.flatMap { $0 }
        self.starts = starts
        self.implied = names.names.enumerated().map { type, name in
            if ID(type) == wellKnown.binary || name.hasPrefix("inode/") { return .none }
            return name.hasPrefix("text/") && ID(type) != wellKnown.text
                ? .text(wellKnown.text) : .binary(wellKnown.binary)
        }
    }

    /// Returns the target of an alias, or the type itself.
    @inline(__always)
    func canonical(_ type: ID) -> ID { canonical[Int(type)] }

    /// Returns the direct supertypes of a type: first the declared ones, then the implied one.
    ///
    /// Plain text is a parent of every `text/` type. Binary data is the root of all types with bytes, and is a parent
    /// only of types without another parent.
    func parents(of type: ID) -> [ID] {
        let type = Int(canonical[Int(type)])
        let declared = Array(parents[Int(starts[type])..<Int(starts[type + 1])])
        switch implied[type] {
        case .none: return declared
        case .text(let text): return declared.contains(text) ? declared : declared + [text]
        case .binary(let binary): return declared.isEmpty ? [binary] : declared
        }
    }

    /// Whether the first type is the second type, or a direct or indirect subtype of it.
    func isType(_ type: ID, _ ancestor: ID) -> Bool {
        let ancestor = canonical(ancestor)
        var seen: Set<ID> = []
        var waiting = [canonical(type)]
        while let next = waiting.popLast() {
            if next == ancestor { return true }
            if seen.insert(next).inserted { waiting += parents(of: next) }
        }
        return false
    }
}
