/// The conformance closure of a number of types: for each type, all types that it conforms to, directly or not,
/// including itself.
///
/// Declarations come from files, so they may be circular. Types that conform to one another, a strongly connected
/// component of the graph, have the same closure. Tarjan's algorithm finds the components in one walk, parents first.
/// Therefore the time is linear in the number of parents, regardless of their order.
struct ConformanceClosure {
    /// The closures, by index.
    private(set) var sets: [TypeSet]

    private let parents: [[Int]]
    /// The number of each type in the order of the walk; 0 for types not visited yet, and -1 for types whose closure
    /// was known.
    private var order: [Int]
    /// The lowest number known to be reachable from a type within its component.
    private var lowest: [Int]
    /// Whether a type's component is incomplete.
    private var isOpen: [Bool]
    private var open: [Int] = []
    private var visited = 0
    /// The bits of the current component's closure, cleared after each component.
    private var row: [UInt64]

    /// Computes the closures.
    ///
    /// - Parameters:
    ///   - parents: the parents of each type, by index.
    ///   - known: the closures of the first types, if they are known.
    init(parents: [[Int]], known: [TypeSet] = []) {
        self.parents = parents
        let count = parents.count
        sets = known + Array(repeating: .empty, count: count - known.count)
        order = Array(repeating: 0, count: count)
        lowest = order
        isOpen = Array(repeating: false, count: count)
        row = Array(repeating: 0, count: (count + 63) / 64)
        for index in known.indices { order[index] = -1 }
        for index in 0..<count where order[index] == 0 { walk(from: index) }
    }

    /// Walks without recursion, because a file can make a chain of parents arbitrarily long.
    private mutating func walk(from root: Int) {
        var path: [(type: Int, next: Int)] = [(root, 0)]
        enter(root)
        while let (type, next) = path.last {
            if next < parents[type].count {
                path[path.count - 1].next += 1
                let parent = parents[type][next]
                if order[parent] == 0 {
                    enter(parent)
                    path.append((parent, 0))
                } else if isOpen[parent] {
                    lowest[type] = min(lowest[type], order[parent])
                }
            } else {
                path.removeLast()
                if let below = path.last?.type { lowest[below] = min(lowest[below], lowest[type]) }
                if lowest[type] == order[type] { close(from: type) }
            }
        }
    }

    private mutating func enter(_ type: Int) {
        visited += 1
        order[type] = visited
        lowest[type] = visited
        isOpen[type] = true
        open.append(type)
    }

    /// Completes the component that was entered at `first`.
    private mutating func close(from first: Int) {
        guard let start = open.lastIndex(of: first) else { return }
        for member in open[start...] {
            row[member >> 6] |= 1 << UInt64(member & 63)
            for parent in parents[member] where !isOpen[parent] { sets[parent].add(to: &row) }
        }
        let set = TypeSet(row: row)
        for member in open[start...] {
            sets[member] = set
            isOpen[member] = false
        }
        open.removeSubrange(start...)
        for word in row.indices { row[word] = 0 }
    }
}
