/// A tree of paths. Each node has the presenters of the item at its path, and the accesses of claims to this item, in
/// the order in which the claims were made.
///
/// Apart from a few spare nodes, a node exists only while claims or presenters exist at or beneath it. Therefore the
/// cost of a search beneath a path is proportional to its results.
struct PathTree: Sendable {
    /// One access of a claim.
    struct Entry: Sendable {
        let claim: ClaimIdentifier
        let access: Int
        let sequence: UInt64
        /// A copy of the claim's purpose. With the copy, a search among thousands of entries for other purposes need
        /// not look up each claim.
        let purpose: String
    }

    /// The position of an entry's path relative to the path of the search.
    enum Relation {
        case above, same, beneath
    }

    /// A group of a node's entries, which a search selects as a whole. The entries of a group either all read or all
    /// write. Their claims either all wait or all hold.
    enum Group: Hashable {
        case waitingReaders, waitingWriters, holdingReaders, holdingWriters

        init(writes: Bool, holds: Bool) {
            self =
                holds
                ? writes ? .holdingWriters : .holdingReaders : writes ? .waitingWriters : .waitingReaders
        }
    }

    private struct Node {
        var parent: Int
        var name: ExactPath
        var children: [ExactPath: Int] = [:]
        /// The children in an order that does not depend on the dictionary's hashing, so that the same claims always
        /// have the same effects.
        var orderedChildren: [Int] = []
        /// The node's index in the parent's `orderedChildren`.
        var position = 0
        var waitingReaders = EntryQueue()
        var waitingWriters = EntryQueue()
        var holdingReaders = EntryQueue()
        var holdingWriters = EntryQueue()
        var presenters: [PresenterIdentifier] = []

        var isEmpty: Bool {
            children.isEmpty && waitingReaders.isEmpty && waitingWriters.isEmpty && holdingReaders.isEmpty
                && holdingWriters.isEmpty && presenters.isEmpty
        }

        subscript(_ group: Group) -> EntryQueue {
            switch group {
            case .waitingReaders: waitingReaders
            case .waitingWriters: waitingWriters
            case .holdingReaders: holdingReaders
            case .holdingWriters: holdingWriters
            }
        }

        // This is a function, because a setter of the subscript would copy the queue.
        mutating func change(_ group: Group, _ body: (inout EntryQueue) -> Void) {
            switch group {
            case .waitingReaders: body(&waitingReaders)
            case .waitingWriters: body(&waitingWriters)
            case .holdingReaders: body(&holdingReaders)
            case .holdingWriters: body(&holdingWriters)
            }
        }
    }

    private static let root = 0
    private static let keptNodes = 256
    private var nodes = [Node(parent: -1, name: "")]
    private var free: [Int] = []
    /// The result of the latest lookup. It is stored because the same path is usually looked up again.
    private var latest: (path: ExactPath, node: Int)?

    // MARK: Changes

    /// Inserts an entry. Returns the index of the path's node, which stays valid while the entry exists.
    mutating func insert(_ entry: Entry, at path: ExactPath, _ group: Group) -> Int {
        let node = makeNode(at: path)
        nodes[node].change(group) { $0.insert(entry) }
        return node
    }

    mutating func remove(_ entry: Entry, at node: Int, _ group: Group) {
        nodes[node].change(group) { $0.remove(entry) }
        prune(node)
    }

    /// Moves an access from the waiting to the holding entries.
    mutating func hold(_ entry: Entry, at node: Int, writes: Bool) {
        nodes[node].change(Group(writes: writes, holds: false)) { $0.remove(entry) }
        nodes[node].change(Group(writes: writes, holds: true)) { $0.insert(entry) }
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
        if let latest, latest.path == path { return latest.node }
        var node = Self.root
        defer { latest = (path, node) }
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
            nodes[child].position = nodes[node].orderedChildren.endIndex
            nodes[node].children[name] = child
            nodes[node].orderedChildren.append(child)
            node = child
        }
        return node
    }

    /// Returns a path's components. Splitting the path by characters would be too slow.
    private static func names(in path: ExactPath) -> [ExactPath] {
        var path = path.string
        return path.withUTF8 { bytes in
            bytes.split(separator: UInt8(ascii: "/")).map {
                ExactPath(String(decoding: $0, as: UTF8.self))
            }
        }
    }

    private mutating func prune(_ start: Int) {
        // A few empty nodes are retained, as their paths are often used again at once.
        if nodes.count - free.count <= Self.keptNodes { return }
        var node = start
        while node != Self.root, nodes[node].isEmpty {
            let parent = nodes[node].parent
            nodes[parent].children[nodes[node].name] = nil
            // The last child of the parent takes the position of the removed node.
            let position = nodes[node].position
            if let last = nodes[parent].orderedChildren.popLast(), last != node {
                nodes[parent].orderedChildren[position] = last
                nodes[last].position = position
            }
            if latest?.node == node { latest = nil }
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

    // MARK: Searches

    /// Whether an access of another claim with another purpose may exclude an access at the given node. If the result
    /// is `false`, there is no such access. If it is `true`, there may be one. This check is faster than a search for
    /// all such accesses.
    func hasExcluding(_ claim: ClaimIdentifier, of purpose: String, at node: Int, writes: Bool) -> Bool {
        func isAlone(_ queue: EntryQueue) -> Bool { queue.isAlone(claim, of: purpose) }
        func isAlone(_ node: Int) -> Bool {
            isAlone(nodes[node].holdingWriters) && isAlone(nodes[node].waitingWriters)
                && (!writes || isAlone(nodes[node].holdingReaders) && isAlone(nodes[node].waitingReaders))
        }
        var above = node
        while above >= 0 {
            guard isAlone(above) else { return true }
            above = nodes[above].parent
        }
        var beneath = next(after: node, beneath: node)
        while let other = beneath {
            guard isAlone(other) else { return true }
            beneath = next(after: other, beneath: node)
        }
        return false
    }

    /// Returns the node that follows `node` in a pre-order traversal of the nodes beneath `top`; `nil` at the end.
    private func next(after node: Int, beneath top: Int) -> Int? {
        if let child = nodes[node].orderedChildren.first { return child }
        var node = node
        while node != top {
            let parent = nodes[node].parent
            let position = nodes[node].position + 1
            if position < nodes[parent].orderedChildren.endIndex { return nodes[parent].orderedChildren[position] }
            node = parent
        }
        return nil
    }

    /// Calls a function for every entry of a holding claim that has another purpose and excludes an access at the given
    /// node. If a sequence number is given, entries of waiting claims with a lower number are included. Entries at the
    /// node itself come first. At each node, the latest waiting entries come first. Stops when the function returns
    /// `false`.
    func forEachExcluding(
        at node: Int, of purpose: String, writes: Bool, waitingBefore sequence: UInt64?,
        _ body: (Entry, Relation) -> Bool
    ) {
        forEachNode(around: node) { node, relation in
            func visit(_ entries: ArraySlice<Entry>) -> Bool {
                for entry in entries.reversed() where entry.purpose != purpose && !body(entry, relation) {
                    return false
                }
                return true
            }
            if let sequence {
                guard visit(nodes[node].waitingWriters.before(sequence)),
                    !writes || visit(nodes[node].waitingReaders.before(sequence))
                else { return false }
            }
            return visit(nodes[node].holdingWriters.all) && (!writes || visit(nodes[node].holdingReaders.all))
        }
    }

    func entries(at node: Int, _ group: Group) -> EntryQueue { nodes[node][group] }

    /// Calls a function for the given node, the nodes above it and the nodes beneath it, until the function returns
    /// `false`.
    @discardableResult
    func forEachNode(around node: Int, _ body: (Int, Relation) -> Bool) -> Bool {
        forEachNode(atOrAbove: node, body) && forEachNode(beneath: node, body)
    }

    @discardableResult
    func forEachNode(atOrAbove node: Int, _ body: (Int, Relation) -> Bool) -> Bool {
        guard body(node, .same) else { return false }
        var above = nodes[node].parent
        while above >= 0 {
            guard body(above, .above) else { return false }
            above = nodes[above].parent
        }
        return true
    }

    @discardableResult
    func forEachNode(beneath node: Int, _ body: (Int, Relation) -> Bool) -> Bool {
        var beneath = next(after: node, beneath: node)
        while let other = beneath {
            guard body(other, .beneath) else { return false }
            beneath = next(after: other, beneath: node)
        }
        return true
    }

    /// Returns every access at, above and beneath the given path, in the order in which the claims were made. An access
    /// above the path may concern an item at or beneath it, because an item in a package has its accesses at the
    /// package's path.
    func entries(around path: ExactPath) -> [Entry] {
        var found: [Entry] = []
        func add(_ node: Int) {
            for group in [Group.waitingReaders, .waitingWriters, .holdingReaders, .holdingWriters] {
                found += nodes[node][group].all
            }
        }
        var node = Self.root
        var isThere = true
        for name in Self.names(in: path) {
            add(node)
            guard let child = nodes[node].children[name] else {
                isThere = false
                break
            }
            node = child
        }
        var open = isThere ? [node] : []
        while let node = open.popLast() {
            add(node)
            open += nodes[node].orderedChildren
        }
        return found.sorted { ($0.sequence, $0.access) < ($1.sequence, $1.access) }
    }

    /// Returns the presenters of items at the given path, above it and beneath it.
    func presenters(around path: ExactPath) -> [PresenterIdentifier] {
        var found: [PresenterIdentifier] = []
        var node = Self.root
        for name in Self.names(in: path) {
            found += nodes[node].presenters
            guard let child = nodes[node].children[name] else { return found.sorted() }
            node = child
        }
        found += nodes[node].presenters
        forEachNode(beneath: node) { other, _ in
            found += nodes[other].presenters
            return true
        }
        return found.sorted()
    }

    /// Returns the presenters of items at, above and beneath the given paths. Each presenter is returned once, and
    /// nodes that the paths share are visited once.
    func presenters(around paths: [ExactPath]) -> [PresenterIdentifier] {
        guard paths.count > 1 else { return paths.first.map(presenters(around:)) ?? [] }
        var found: [PresenterIdentifier] = []
        var looked: Set<Int> = []
        var ends: Set<Int> = []
        for path in paths {
            var node = Self.root
            var isThere = true
            for name in Self.names(in: path) {
                if looked.insert(node).inserted { found += nodes[node].presenters }
                guard let child = nodes[node].children[name] else {
                    isThere = false
                    break
                }
                node = child
            }
            if isThere { ends.insert(node) }
        }
        for end in ends {
            if looked.insert(end).inserted { found += nodes[end].presenters }
            // If this subtree lies within that of another path, it is visited together with that subtree.
            var above = nodes[end].parent
            while above >= 0, !ends.contains(above) { above = nodes[above].parent }
            if above >= 0 { continue }
            forEachNode(beneath: end) { other, _ in
                if looked.insert(other).inserted { found += nodes[other].presenters }
                return true
            }
        }
        return found.sorted()
    }
}
