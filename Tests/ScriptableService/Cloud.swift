import ItemValues
import LinuxSystem

/// The service's state: a tree in memory with versions and a change feed. It performs requests at once;
/// ``CloudService`` adds failures.
package struct Cloud {
    struct Node {
        var item: CloudItem
        var contents: [UInt8] = []
        var thumbnail: [UInt8]?
        /// The position of the item in listings.
        var order: Int
    }

    /// The items by identifier. Identifiers and names in different Unicode normal forms are different.
    private(set) var nodes: [ExactText: Node] = [:]
    /// The identifiers of the items in each directory, by the directory's identifier.
    private var children: [ExactText: Set<ExactText>] = [:]
    /// The identifiers of changed items, in the order of the changes.
    private var log: [String] = []
    /// The first valid position of the change feed.
    private var oldestAnchor = 0
    private var counter = 0
    private var sessions: Set<String> = []
    var settings = CloudSettings()

    init() {
        insert(
            Node(item: CloudItem(identifier: CloudItem.root, parent: CloudItem.root, name: "", kind: .folder), order: 0)
        )
    }

    // MARK: Requests

    mutating func answer(
        _ signed: SignedRequest, body: [UInt8], now: Double
    ) throws(CloudError) -> (CloudAnswer, [UInt8]) {
        if case .signIn(let password) = signed.request {
            guard password == settings.password else { throw .wrongPassword }
            counter += 1
            let token = "session \(counter)"
            sessions.insert(token)
            return (.token(token), [])
        }
        if settings.password != nil, !sessions.contains(signed.token ?? "") { throw .notSignedIn }
        switch signed.request {
        case .item(let identifier): return (.item(try node(identifier).item), [])
        case .page(let container, let after, let limit): return (try page(container, after, limit), [])
        case .search(let word, let after, let limit): return (search(word, after, limit), [])
        case .anchor: return (.anchor(log.count), [])
        case .changes(let anchor, let limit): return (try changes(anchor, limit), [])
        case .contents(let identifier):
            let node = try node(identifier)
            return (.item(node.item), node.contents)
        case .part(let identifier, let version, let start, let count):
            let node = try node(identifier)
            guard node.item.version == version else { throw .outdated }
            let from = min(max(0, start), node.contents.count)
            return (.item(node.item), Array(node.contents[from..<min(node.contents.count, from + max(0, count))]))
        case .thumbnail(let identifier):
            let node = try node(identifier)
            return (.item(node.item), node.thumbnail ?? [])
        case .create(let item): return (.item(try create(item, body, now)), [])
        case .replace(let identifier, let base, let modified):
            var node = try node(identifier)
            guard base == nil || base == node.item.version else { throw .outdated }
            try checkQuota(adding: body.count - node.contents.count)
            set(&node, body, modified)
            return (.item(node.item), [])
        case .move(let identifier, let parent, let name):
            return (.item(try move(identifier, to: parent, named: name)), [])
        case .delete(let identifier):
            _ = try node(identifier)
            remove(identifier)
            return (.done, [])
        case .set(let fact, let identifier): return (.item(try set(fact, of: identifier)), [])
        case .trash(let identifier): return (.item(try trash(identifier)), [])
        case .untrash(let identifier, let parent): return (.item(try untrash(identifier, to: parent)), [])
        case .act(_, let items):
            for item in items { _ = try node(item) }
            return (.done, [])
        case .signIn: return (.done, [])
        }
    }

    private func node(_ identifier: String) throws(CloudError) -> Node {
        guard let node = nodes[ExactText(identifier)] else { throw .noSuchItem }
        return node
    }

    private func page(_ container: String, _ after: Int?, _ limit: Int) throws(CloudError) -> CloudAnswer {
        if container != CloudItem.trash { _ = try node(container) }
        let all = (children[ExactText(container)] ?? []).compactMap { nodes[$0] }.sorted { $0.order < $1.order }
        let rest = all.drop { $0.order <= after ?? -1 }
        let page = rest.prefix(max(1, min(limit, settings.pageLimit)))
        return .page(page.map(\.item), next: page.count < rest.count ? page.last?.order : nil)
    }

    private func search(_ word: String, _ after: Int?, _ limit: Int) -> CloudAnswer {
        let all = nodes.values.filter { $0.item.identifier != CloudItem.root && $0.item.name.contains(word) }
            .sorted { $0.order < $1.order }
        let rest = all.drop { $0.order <= after ?? -1 }
        let page = rest.prefix(max(1, min(limit, settings.pageLimit)))
        return .page(page.map(\.item), next: page.count < rest.count ? page.last?.order : nil)
    }

    private func changes(_ anchor: Int, _ limit: Int) throws(CloudError) -> CloudAnswer {
        guard anchor >= oldestAnchor, anchor <= log.count else { throw .anchorExpired }
        let part = log[anchor...].prefix(max(1, min(limit, settings.changeLimit)))
        var seen: Set<ExactText> = []
        let identifiers = part.filter { seen.insert($0) }
        return .changes(
            updated: identifiers.compactMap { nodes[ExactText($0)]?.item },
            deleted: identifiers.filter { nodes[ExactText($0)] == nil },
            anchor: part.endIndex, moreComing: part.endIndex < log.count)
    }

    private mutating func create(
        _ wanted: CloudItem, _ body: [UInt8], _ now: Double
    ) throws(CloudError) -> CloudItem {
        // The reply to the first attempt may have been lost.
        if let known = nodes[ExactText(wanted.identifier)] { return known.item }
        _ = try node(wanted.parent)
        if let other = child(named: wanted.name, of: wanted.parent) { throw .taken(other.item) }
        try checkQuota(adding: body.count)
        var item = wanted
        if settings.identifiersArePaths { item.identifier = path(of: wanted.name, in: wanted.parent) }
        item.size = body.count
        if item.modified == 0 { item.modified = now }
        item.version = nextNumber()
        insert(Node(item: item, contents: body, order: nextNumber()))
        log.append(item.identifier)
        return item
    }

    private mutating func move(
        _ identifier: String, to parent: String, named name: String
    ) throws(CloudError) -> CloudItem {
        var node = try node(identifier)
        _ = try self.node(parent)
        if let other = child(named: name, of: parent), !other.item.identifier.hasSameBytes(as: identifier) {
            throw .taken(other.item)
        }
        children[ExactText(node.item.parent)]?.remove(identifier)
        node.item.parent = parent
        node.item.name = name
        node.item.former = nil
        return put(node)
    }

    /// Inserts a moved item into its new directory, where it may get another identifier.
    private mutating func put(_ moved: Node) -> CloudItem {
        var node = moved
        let former = node.item.identifier
        if settings.identifiersArePaths {
            node.item.identifier = path(of: node.item.name, in: node.item.parent, former)
        }
        let identifier = node.item.identifier
        log.append(former)
        guard !identifier.hasSameBytes(as: former) else {
            insert(node)
            return node.item
        }
        nodes[ExactText(former)] = nil
        insert(node)
        log.append(identifier)
        for child in children.removeValue(forKey: ExactText(former)) ?? [] {
            guard var node = nodes[child] else { continue }
            node.item.parent = identifier
            _ = put(node)
        }
        return node.item
    }

    /// Returns an item's identifier if identifiers are paths. In the trash, several items may share a name.
    private func path(of name: String, in parent: String, _ former: String? = nil) -> String {
        var path = (parent == CloudItem.root ? "" : parent) + "/" + name
        while let other = nodes[ExactText(path)], former?.hasSameBytes(as: other.item.identifier) != true {
            path += "~"
        }
        return path
    }

    private mutating func set(_ fact: CloudMetadata, of identifier: String) throws(CloudError) -> CloudItem {
        var node = try node(identifier)
        switch fact {
        case .tagData(let data): node.item.tagData = data
        case .favoriteRank(let rank): node.item.favoriteRank = rank
        case .modified(let date): node.item.modified = date
        case .permissions(let permissions): node.item.permissions = permissions
        case .attributes(let attributes): node.item.attributes = attributes
        }
        nodes[ExactText(identifier)] = node
        log.append(identifier)
        return node.item
    }

    private mutating func trash(_ identifier: String) throws(CloudError) -> CloudItem {
        var node = try node(identifier)
        // The reply to the first attempt may have been lost.
        guard node.item.former == nil else { return node.item }
        children[ExactText(node.item.parent)]?.remove(identifier)
        node.item.former = node.item.parent
        node.item.parent = CloudItem.trash
        return put(node)
    }

    private mutating func untrash(_ identifier: String, to parent: String?) throws(CloudError) -> CloudItem {
        let item = try node(identifier).item
        guard let former = item.former else { return item }
        let place = parent ?? former
        guard isInTree(place) else { throw .noSuchItem }
        return try move(identifier, to: place, named: item.name)
    }

    /// Whether an item is the root or beneath it.
    private func isInTree(_ identifier: String) -> Bool {
        var next = identifier
        while next != CloudItem.root {
            guard let node = nodes[ExactText(next)] else { return false }
            next = node.item.parent
        }
        return true
    }

    private func checkQuota(adding count: Int) throws(CloudError) {
        guard let quota = settings.quota, count > 0 else { return }
        guard nodes.values.reduce(0, { $0 + $1.contents.count }) + count <= quota else { throw .overQuota }
    }

    // MARK: The tree

    private mutating func nextNumber() -> Int {
        counter += 1
        return counter
    }

    private mutating func insert(_ node: Node) {
        nodes[ExactText(node.item.identifier)] = node
        guard node.item.identifier != CloudItem.root else { return }
        children[ExactText(node.item.parent), default: []].insert(node.item.identifier)
    }

    private mutating func set(_ node: inout Node, _ contents: [UInt8], _ modified: Double) {
        node.contents = contents
        node.item.size = contents.count
        node.item.version = nextNumber()
        node.item.modified = modified
        nodes[ExactText(node.item.identifier)] = node
        log.append(node.item.identifier)
    }

    private mutating func remove(_ identifier: String) {
        guard let node = nodes.removeValue(forKey: ExactText(identifier)) else { return }
        children[ExactText(node.item.parent)]?.remove(identifier)
        for child in children.removeValue(forKey: ExactText(identifier)) ?? [] { remove(child.string) }
        log.append(identifier)
    }

    func child(named name: String, of parent: String) -> Node? {
        (children[ExactText(parent)] ?? []).lazy.compactMap { nodes[$0] }.first { $0.item.name.hasSameBytes(as: name) }
    }

    // MARK: Commands

    func node(at path: String) -> Node? {
        let names = path.split(separator: "/").map(String.init)
        let isInTrash = names.count > 1 && names.first == CloudItem.trashPath
        let start = isInTrash ? child(named: names[1], of: CloudItem.trash) : nodes[ExactText(CloudItem.root)]
        return names.dropFirst(isInTrash ? 2 : 0).reduce(start) { node, name in
            node.flatMap { child(named: name, of: $0.item.identifier) }
        }
    }

    mutating func put(_ contents: [UInt8], at path: String, now: Double) {
        if var node = node(at: path) { return set(&node, contents, now) }
        let (parent, name) = place(path, now: now)
        add(name, .file, contents, in: parent, now: now)
    }

    mutating func fill(_ path: String, count: Int, prefix: String, suffix: String, now: Double) {
        let (parent, _) = place(path + "/.", now: now)
        for number in 0..<count {
            add("\(prefix)\(number)\(suffix)", .file, Array("\(number)".utf8), in: parent, now: now)
        }
    }

    mutating func set(_ fact: CloudMetadata, at path: String) -> Bool {
        guard let node = node(at: path) else { return false }
        return (try? set(fact, of: node.item.identifier)) != nil
    }

    mutating func setThumbnail(_ bytes: [UInt8], at path: String) -> Bool {
        guard let node = node(at: path) else { return false }
        let own = ExactText(node.item.identifier)
        let identifiers = node.item.kind == .folder ? children[own] ?? [] : [own]
        for identifier in identifiers { nodes[identifier]?.thumbnail = bytes }
        return true
    }

    mutating func remove(at path: String) -> Bool {
        guard let node = node(at: path) else { return false }
        remove(node.item.identifier)
        return true
    }

    mutating func move(at path: String, to target: String, now: Double) -> Bool {
        guard let node = node(at: path) else { return false }
        let (parent, name) = place(target, now: now)
        return (try? move(node.item.identifier, to: parent, named: name)) != nil
    }

    mutating func endSessions() { sessions = [] }

    mutating func expireAnchors() {
        // This expires even the newest anchor.
        log.append(CloudItem.root)
        oldestAnchor = log.count
    }

    /// All items except the root by path, including those in the trash.
    var snapshot: [String: CloudItem] {
        var items: [String: CloudItem] = [:]
        func add(_ folder: String, _ path: String) {
            for child in (children[ExactText(folder)] ?? []).compactMap({ nodes[$0]?.item }) {
                items[path + child.name] = child
                add(child.identifier, path + child.name + "/")
            }
        }
        add(CloudItem.root, "")
        add(CloudItem.trash, CloudItem.trashPath + "/")
        return items
    }

    /// Returns the directory of a path, which is created if necessary, and the last component of the path.
    private mutating func place(_ path: String, now: Double) -> (parent: String, name: String) {
        let names = path.split(separator: "/").map(String.init)
        var folder = CloudItem.root
        for name in names.dropLast() {
            folder = child(named: name, of: folder)?.item.identifier ?? add(name, .folder, [], in: folder, now: now)
        }
        return (folder, names.last ?? "")
    }

    @discardableResult
    private mutating func add(
        _ name: String, _ kind: CloudItem.Kind, _ contents: [UInt8], in parent: String, now: Double
    ) -> String {
        let number = nextNumber()
        let item = CloudItem(
            identifier: settings.identifiersArePaths ? path(of: name, in: parent) : "item-\(number)", parent: parent,
            name: name, kind: kind, size: contents.count, version: number,
            modified: now)
        insert(Node(item: item, contents: contents, order: number))
        log.append(item.identifier)
        return item.identifier
    }
}
