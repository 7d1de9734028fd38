/// What each of a number of types conforms to, directly or through others and itself included, given everybody's parents.
///
/// Declarations come from files, so they may be circular. Types that conform to one another, a strongly connected
/// component of the graph, have the same closure; components are found in one walk (Tarjan's), parents first, so that the
/// whole costs as much as there are parents, whatever their order.
struct ConformanceClosure {
    /// By index.
    private(set) var sets: [TypeSet]

    private let parents: [[Int]]
    /// The number of each type in the order of the walk; 0 for those it has not come to.
    private var order: [Int]
    /// The lowest number that is reached from a type within its component, as far as is known.
    private var lowest: [Int]
    /// Types whose component is not complete.
    private var isOpen: [Bool]
    private var open: [Int] = []
    private var visited = 0
    /// Bits of the component at hand, cleared after each.
    private var row: [UInt64]

    /// - Parameters:
    ///   - parents: by index.
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

    /// Without recursion: a chain of parents is as long as a file makes it.
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
