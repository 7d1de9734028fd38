/// Who is at which path: the claims of an item in the order they were made, and its presenters.
///
/// But for a few, a node is there for as long as somebody is at it or beneath it, so looking beneath a path costs no more than
/// what is there.
struct PathTree: Sendable {
    /// One access of a claim.
    struct Entry: Sendable {
        let claim: ClaimIdentifier
        let access: Int
        let sequence: UInt64
    }

    /// Where somebody is, seen from the path that was asked about.
    enum Relation {
        case above, same, beneath
    }

    private struct Node {
        var parent: Int
        var name: ExactPath
        var children: [ExactPath: Int] = [:]
        // In the order of their sequence.
        var readers: [Entry] = []
        var writers: [Entry] = []
        var presenters: [PresenterIdentifier] = []

        var isEmpty: Bool { children.isEmpty && readers.isEmpty && writers.isEmpty && presenters.isEmpty }
    }

    private static let root = 0
    private static let keptNodes = 256
    private var nodes = [Node(parent: -1, name: "")]
    private var free: [Int] = []

    // MARK: Changing

    /// Returns the node that the path has for as long as the entry is there.
    mutating func insert(_ entry: Entry, at path: ExactPath, writes: Bool) -> Int {
        let node = makeNode(at: path)
        if writes { Self.insert(entry, &nodes[node].writers) } else { Self.insert(entry, &nodes[node].readers) }
        return node
    }

    private static func insert(_ entry: Entry, _ entries: inout [Entry]) {
        // Nearly always the last: only a claim that has moved is not.
        var position = entries.endIndex
        while position > 0, entries[position - 1].sequence > entry.sequence { position -= 1 }
        entries.insert(entry, at: position)
    }

    mutating func remove(_ claim: ClaimIdentifier, access: Int, at node: Int, writes: Bool) {
        func isIt(_ entry: Entry) -> Bool { entry.claim == claim && entry.access == access }
        if writes {
            if let position = nodes[node].writers.firstIndex(where: isIt) { nodes[node].writers.remove(at: position) }
        } else {
            if let position = nodes[node].readers.firstIndex(where: isIt) { nodes[node].readers.remove(at: position) }
        }
        prune(node)
    }

    mutating func insert(_ presenter: PresenterIdentifier, at path: ExactPath) {
        nodes[makeNode(at: path)].presenters.append(presenter)
    }

    mutating func remove(_ presenter: PresenterIdentifier, at path: ExactPath) {
        guard let node = node(at: path) else { return }
        nodes[node].presenters.removeAll { $0 == presenter }
        prune(node)
    }

    private mutating func makeNode(at path: ExactPath) -> Int {
        var node = Self.root
        for name in Self.names(in: path) {
            if let child = nodes[node].children[name] {
                node = child
                continue
            }
            let child: Int
            if let reused = free.popLast() {
                child = reused
                nodes[child] = Node(parent: node, name: name)
            } else {
                child = nodes.endIndex
                nodes.append(Node(parent: node, name: name))
            }
            nodes[node].children[name] = child
            node = child
        }
        return node
    }

    /// A path's components. Splitting it by characters would take longer than all the rest.
    private static func names(in path: ExactPath) -> [ExactPath] {
        var path = path.string
        return path.withUTF8 { bytes in
            bytes.split(separator: UInt8(ascii: "/")).map {
                ExactPath(String(decoding: $0, as: UTF8.self))
            }
        }
    }

    private mutating func prune(_ start: Int) {
        // A few paths that nobody is at are kept: they are often used again at once.
        if nodes.count - free.count <= Self.keptNodes { return }
        var node = start
        while node != Self.root, nodes[node].isEmpty {
            let parent = nodes[node].parent
            nodes[parent].children[nodes[node].name] = nil
            nodes[node] = Node(parent: -1, name: "")
            free.append(node)
            node = parent
        }
    }

    private func node(at path: ExactPath) -> Int? {
        var node = Self.root
        for name in Self.names(in: path) {
            guard let child = nodes[node].children[name] else { return nil }
            node = child
        }
        return node
    }

    // MARK: Looking

    /// Whether there is an access of another claim that excludes one at this node. Quicker than looking for all of them.
    func hasExcluding(_ claim: ClaimIdentifier, at node: Int, writes: Bool) -> Bool {
        func isAlone(_ node: Int) -> Bool {
            nodes[node].writers.allSatisfy { $0.claim == claim }
                && (!writes || nodes[node].readers.allSatisfy { $0.claim == claim })
        }
        func isAloneBeneath(_ node: Int) -> Bool {
            nodes[node].children.values.allSatisfy { isAlone($0) && isAloneBeneath($0) }
        }
        var above = node
        while above >= 0 {
            guard isAlone(above) else { return true }
            above = nodes[above].parent
        }
        return !isAloneBeneath(node)
    }

    /// Calls a function for every access of other claims that excludes one at this node, the latest at the node itself first,
    /// until it returns `false`.
    func forEachExcluding(at node: Int, writes: Bool, _ body: (Entry, Relation) -> Bool) {
        var above: [Int] = []
        var next = nodes[node].parent
        while next >= 0 {
            above.append(next)
            next = nodes[next].parent
        }
        guard visit([node], .same, writes, body), visit(above, .above, writes, body) else { return }
        visitBeneath(node, writes, body)
    }

    @discardableResult
    private func visit(_ visited: [Int], _ relation: Relation, _ writes: Bool, _ body: (Entry, Relation) -> Bool)
        -> Bool
    {
        for node in visited {
            for entry in nodes[node].writers.reversed() where !body(entry, relation) { return false }
            guard writes else { continue }
            for entry in nodes[node].readers.reversed() where !body(entry, relation) { return false }
        }
        return true
    }

    @discardableResult
    private func visitBeneath(_ node: Int, _ writes: Bool, _ body: (Entry, Relation) -> Bool) -> Bool {
        for child in sortedChildren(of: node) {
            guard visit([child], .beneath, writes, body), visitBeneath(child, writes, body) else { return false }
        }
        return true
    }

    /// The same claims in the same order give the same decisions, whatever the order of a dictionary.
    private func sortedChildren(of node: Int) -> [Int] {
        let children = nodes[node].children
        if children.count < 2 { return Array(children.values) }
        return children.sorted { $0.key < $1.key }.map(\.value)
    }

    /// Every access at a path and beneath it, in the order of their claims.
    func entries(atOrBeneath path: ExactPath) -> [Entry] {
        guard let start = node(at: path) else { return [] }
        var found: [Entry] = []
        var open = [start]
        while let node = open.popLast() {
            found += nodes[node].readers + nodes[node].writers
            open += nodes[node].children.values
        }
        return found.sorted { ($0.sequence, $0.access) < ($1.sequence, $1.access) }
    }

    /// The presenters of a path, of what is above it and of what is beneath it.
    func presenters(around path: ExactPath) -> [PresenterIdentifier] {
        var found: [PresenterIdentifier] = []
        var node = Self.root
        for name in Self.names(in: path) {
            found += nodes[node].presenters
            guard let child = nodes[node].children[name] else { return found.sorted() }
            node = child
        }
        var open = [node]
        while let node = open.popLast() {
            found += nodes[node].presenters
            open += nodes[node].children.values
        }
        return found.sorted()
    }
}
