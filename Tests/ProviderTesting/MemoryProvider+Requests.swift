import FileProvider
import FileProviderEngine
import FileProviderWire
import ItemValues
import LinuxSystem

/// The requests of the engine.
extension MemoryProvider {
    package func item(_ identifier: String) async throws(ProviderError) -> ProviderItem {
        try await begin(.item(identifier))
        let item = try state.withLock { state throws(ProviderError) in try state.node(identifier).item }
        try await end(.item(identifier))
        return item
    }

    package func page(
        of container: String, after page: [UInt8]?, suggestedSize: Int
    ) async throws(ProviderError) -> ItemPage {
        try await begin(.page(of: container, after: page))
        let answer = try state.withLock { state throws(ProviderError) in
            if container == ProviderItem.trashIdentifier {
                guard let script = state.behaviour.trashPage else {
                    return try state.page(of: container, after: page, suggestedSize)
                }
                // The script may have made up the page that this one comes after.
                let answer = try? state.page(of: container, after: page, suggestedSize)
                return script(answer ?? ItemPage(items: [], next: nil))
            }
            guard let script = state.behaviour.page else {
                return try state.page(of: container, after: page, suggestedSize)
            }
            // The script may have made up the page that precedes this one.
            let answer = try? state.page(of: container, after: page, suggestedSize)
            return script(container, page, answer ?? ItemPage(items: [], next: nil))
        }
        try await end(.page(of: container, after: page))
        return answer
    }

    package func currentAnchor(of container: String) async throws(ProviderError) -> [UInt8]? {
        try await begin(.currentAnchor(of: container))
        let anchor = try state.withLock { state throws(ProviderError) in
            try state.check(container)
            return state.behaviour.hasAnchors ? state.anchor(at: state.log.count) : nil
        }
        try await end(.currentAnchor(of: container))
        return anchor
    }

    package func changes(
        in container: String, since anchor: [UInt8], suggestedSize: Int
    ) async throws(ProviderError) -> ChangeBatch {
        try await begin(.changes(in: container))
        let batch = try state.withLock { state throws(ProviderError) in
            try state.check(container)
            guard let script = state.behaviour.changes else { return try state.changes(in: container, since: anchor) }
            // The script may have made up the anchor.
            let batch = try? state.changes(in: container, since: anchor)
            return script(anchor, batch ?? ChangeBatch(updated: [], deleted: [], anchor: anchor, moreComing: false))
        }
        try await end(.changes(in: container))
        return batch
    }

    package func domainState() async throws(ProviderError) -> ProviderDomainState {
        guard let state = state.withLock({ $0.behaviour.domainState })?() else {
            throw ProviderError(.unsupported, message: "The provider says nothing of its domain.")
        }
        return state
    }

    package func contents(
        of identifier: String, progress: @escaping @Sendable (Int64, Int64) -> Void
    ) async throws(ProviderError) -> ProviderContents {
        try await begin(.contents(of: identifier))
        let (node, bytes) = try state.withLock { state throws(ProviderError) in
            let node = try state.node(identifier)
            return (node, state.behaviour.contents.map { $0(identifier, node.contents) } ?? node.contents)
        }
        let file: FileDescriptor
        var moment: FileMoment?
        do throws(Errno) {
            file = try MemoryFile.create(name: "contents")
            if state.withLock({ $0.behaviour.filesAreWritten }) { moment = FileMoment(try file.status()) }
            try Self.write(bytes, to: file)
        } catch {
            throw ProviderError(.noSpace, message: error.description)
        }
        progress(Int64(bytes.count), Int64(bytes.count))
        try await end(.contents(of: identifier))
        return ProviderContents(descriptor: file, item: node.item, moment: moment)
    }

    package func usesExistingContents() async throws(ProviderError) -> Bool {
        state.withLock { $0.behaviour.usesExistingContents }
    }

    package func contents(
        of identifier: String, using existing: ExistingContents, progress: @escaping @Sendable (Int64, Int64) -> Void
    ) async throws(ProviderError) -> ProviderContents {
        try await begin(.difference(of: identifier, to: existing.version))
        let node = try state.withLock { state throws(ProviderError) in try state.node(identifier) }
        let known = try Self.everything(in: existing.descriptor)
        let shared = zip(known, node.contents).prefix { $0 == $1 }.count
        let file: FileDescriptor
        do throws(Errno) {
            file = try MemoryFile.create(name: "contents")
            try Self.write(Array(known[..<shared]) + node.contents[shared...], to: file)
        } catch {
            throw ProviderError(.noSpace, message: error.description)
        }
        progress(Int64(node.contents.count - shared), Int64(node.contents.count - shared))
        try await end(.difference(of: identifier, to: existing.version))
        return ProviderContents(descriptor: file, item: node.item)
    }

    package func servesParts() async throws(ProviderError) -> Bool {
        await waitWhileHeld(.servesParts)
        return state.withLock { $0.behaviour.servesParts }
    }

    package func part(_ request: PartRequest) async throws(ProviderError) -> ProviderPart {
        try await begin(.part(of: request.identifier, request.range))
        let (node, script) = try state.withLock { state throws(ProviderError) in
            (try state.node(request.identifier), state.behaviour.part)
        }
        let file: FileDescriptor
        let range = request.range.clamped(to: 0..<Int64(node.contents.count))
        do throws(Errno) {
            file = try MemoryFile.create(name: "part")
            try file.truncate(to: node.contents.count)
            let bytes = node.contents[Int(range.lowerBound)..<Int(range.upperBound)]
            let result = bytes.withUnsafeBytes { bytes in
                Result { () throws(Errno) in try file.writeAll(bytes, at: Int(range.lowerBound)) }
            }
            try result.get()
        } catch {
            throw ProviderError(.noSpace, message: error.description)
        }
        var part = ProviderPart(descriptor: file, item: node.item, range: range)
        if let script { part = try script(request, part) }
        try await end(.part(of: request.identifier, request.range))
        return part
    }

    package func create(_ item: NewItem, contents: FileDescriptor?) async throws(ProviderError) -> ProviderItem {
        let request: Request =
            item.mayAlreadyExist
            ? .createAgain(name: item.filename, in: item.parent) : .create(name: item.filename, in: item.parent)
        try await begin(request)
        let bytes = try contents.map { contents throws(ProviderError) in try Self.everything(in: contents) } ?? []
        let made = try state.withLock { state throws(ProviderError) in
            try state.checkFolder(item.parent)
            try state.checkName(item.filename, in: item.parent, of: nil)
            let identifier = state.add(item.filename, item.kind, in: item.parent, nil) { node in
                node.contents = bytes
                node.item.modified = item.modified
                node.item.linkTarget = item.linkTarget
            }
            if !state.behaviour.confirmsUploads { state.nodes[ExactText(identifier)]?.item.flags.remove(.uploaded) }
            return try state.node(identifier).item
        }
        try await end(request)
        return state.withLock { $0.behaviour.created }?(made) ?? made
    }

    package func importDidFinish() async throws(ProviderError) {
        try await begin(.importFinished)
        try await end(.importFinished)
    }

    package func replaceContents(
        of identifier: String, with contents: FileDescriptor, base: [UInt8], modified: Double
    ) async throws(ProviderError) -> ProviderItem {
        try await begin(.replaceContents(of: identifier))
        let bytes = try Self.everything(in: contents)
        let item = try state.withLock { state throws(ProviderError) in
            _ = try state.node(identifier)
            let isConfirmed = state.behaviour.confirmsUploads
            let identifier = state.change(identifier) { node, version in
                node.set(bytes, version: version)
                node.item.modified = modified
                if !isConfirmed { node.item.flags.remove(.uploaded) }
            }
            return try state.node(identifier).item
        }
        try await end(.replaceContents(of: identifier))
        return item
    }

    package func move(
        _ identifier: String, to parent: String, named name: String
    ) async throws(ProviderError) -> ProviderItem {
        try await begin(.move(identifier))
        let item = try state.withLock { state throws(ProviderError) in
            _ = try state.node(identifier)
            try state.checkFolder(parent)
            if state.behaviour.movesReplace, let other = state.child(named: name, in: parent)?.item.identifier,
                !other.hasSameBytes(as: identifier)
            {
                state.remove(other)
            }
            try state.checkName(name, in: parent, of: identifier)
            let identifier = state.change(identifier) { node, _ in
                node.item.filename = name
                node.item.parent = parent
            }
            return try state.node(identifier).item
        }
        try await end(.move(identifier))
        return state.withLock { $0.behaviour.moved }?(item) ?? item
    }

    package func delete(_ identifier: String) async throws(ProviderError) {
        state.withLock { state in
            if let key = state.nodes[ExactText(identifier)]?.key { state.deletedKeys.insert(key) }
        }
        try await begin(.delete(identifier))
        try state.withLock { state throws(ProviderError) in
            _ = try state.node(identifier)
            state.remove(identifier)
        }
        try await end(.delete(identifier))
    }

    package func set(_ metadataChange: UserMetadataChange, of identifier: String) async throws(ProviderError)
        -> ProviderItem
    {
        try await begin(.set(identifier))
        let item = try state.withLock { state throws(ProviderError) in
            var keeps = state.behaviour.storesMetadata
            if case .attributes = metadataChange { keeps = state.behaviour.keepsAttributes }
            guard keeps else {
                throw ProviderError(.unsupported, message: "It keeps no facts.")
            }
            let before = try state.node(identifier).item
            if metadataChange == .attributes(ItemAttributes()) { return before }
            state.change(identifier) { node, _ in
                switch metadataChange {
                case .lastUsed(let time): node.item.lastUsed = time
                case .tagData(let data): node.item.tagData = data
                case .favoriteRank(let rank): node.item.favoriteRank = rank
                case .attributes(let attributes): node.item.take(attributes)
                }
            }
            return try state.node(identifier).item
        }
        try await end(.set(identifier))
        return item
    }

    package func trash(_ identifier: String) async throws(ProviderError) -> ProviderItem {
        try await begin(.trash(identifier))
        let item = try state.withLock { state throws(ProviderError) in
            _ = try state.node(identifier)
            let identifier = state.change(identifier) { node, _ in
                node.former = node.item.parent
                node.item.parent = ProviderItem.trashIdentifier
                node.item.flags.insert(.trashed)
            }
            return try state.node(identifier).item
        }
        try await end(.trash(identifier))
        return item
    }

    package func untrash(_ identifier: String, to parent: String?) async throws(ProviderError) -> ProviderItem {
        try await begin(.untrash(identifier))
        let item = try state.withLock { state throws(ProviderError) in
            let former = try state.node(identifier).former
            guard let place = parent ?? former else {
                throw ProviderError(.noSuchItem, message: "It does not lie in the trash.")
            }
            let identifier = state.change(identifier) { node, _ in
                node.former = nil
                node.item.parent = place
                node.item.flags.remove(.trashed)
            }
            return try state.node(identifier).item
        }
        try await end(.untrash(identifier))
        return item
    }

    package func stopProviding(_ identifier: String) async {
        try? await begin(.stopProviding(identifier))
    }

    private static func write(_ bytes: [UInt8], to file: FileDescriptor) throws(Errno) {
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 16)
        defer { room.deallocate() }
        room.copyBytes(from: bytes)
        try file.writeAll(UnsafeRawBufferPointer(room), at: 0)
    }

    /// Returns a file's contents from its beginning, regardless of the descriptor's offset.
    private static func everything(in file: FileDescriptor) throws(ProviderError) -> [UInt8] {
        do throws(Errno) {
            let room = UnsafeMutableRawBufferPointer.allocate(byteCount: try file.status().size, alignment: 16)
            defer { room.deallocate() }
            var position = 0
            while position < room.count {
                let rest = UnsafeMutableRawBufferPointer(rebasing: room[position...])
                let count = try file.read(into: rest, at: position)
                if count == 0 { break }
                position += count
            }
            return Array(room[..<position])
        } catch {
            throw ProviderError(.transient, message: error.description)
        }
    }
}

extension ProviderItem {
    /// Whether the item has user metadata, and is therefore in the working set.
    fileprivate var isInWorkingSet: Bool { lastUsed != nil || favoriteRank != nil || tagData != nil }
}

extension MemoryProvider.State {
    func node(_ identifier: String) throws(ProviderError) -> MemoryProvider.Node {
        guard let node = nodes[ExactText(identifier)] else {
            throw ProviderError(.noSuchItem, message: "There is no item “\(identifier)”.")
        }
        return node
    }

    /// Checks that an item can be placed in a directory.
    func checkFolder(_ identifier: String) throws(ProviderError) {
        guard try node(identifier).item.kind == .folder else {
            throw ProviderError(.noSuchItem, message: "“\(identifier)” is not a folder.")
        }
    }

    /// Checks that a container can be enumerated.
    func check(_ container: String) throws(ProviderError) {
        switch container {
        case ProviderItem.workingSetIdentifier:
            guard behaviour.hasWorkingSet else {
                throw ProviderError(.unsupported, message: "There is no working set.")
            }
        case ProviderItem.trashIdentifier:
            guard behaviour.hasTrashListing else {
                throw ProviderError(.unsupported, message: "The trash cannot be listed.")
            }
        default:
            try checkFolder(container)
        }
    }

    func checkName(_ name: String, in parent: String, of identifier: String?) throws(ProviderError) {
        guard let other = child(named: name, in: parent),
            identifier.map({ !other.item.identifier.hasSameBytes(as: $0) }) ?? true
        else { return }
        throw ProviderError(
            .filenameCollision, message: "“\(name)” exists already.", collidingItem: other.item.identifier)
    }

    /// Returns a page of a container. A page token contains the position of the previous page's last item.
    mutating func page(of container: String, after page: [UInt8]?, _ suggestedSize: Int) throws(ProviderError)
        -> ItemPage
    {
        try check(container)
        var after = 0
        if let page {
            guard page.first == epoch, let order = Int(String(decoding: page.dropFirst(), as: UTF8.self)) else {
                throw ProviderError(.expired, message: "The page has expired.")
            }
            after = order
        }
        let all = listing(of: container)
        let rest = all[(all.firstIndex { $0.order > after } ?? all.endIndex)...]
        let items = rest.prefix(min(max(1, suggestedSize), behaviour.pageLimit))
        guard let last = items.last, items.count < rest.count else {
            return ItemPage(items: items.map(\.item), next: nil)
        }
        return ItemPage(items: items.map(\.item), next: [epoch] + Array(String(last.order).utf8))
    }

    private mutating func listing(of container: String) -> [MemoryProvider.Node] {
        if let known = listings[ExactText(container)], known.logCount == log.count { return known.nodes }
        let nodes =
            container == ProviderItem.workingSetIdentifier
            ? nodes.values.filter { $0.order > 0 && $0.item.isInWorkingSet }.sorted { $0.order < $1.order }
            : children(of: container)
        listings[ExactText(container)] = (log.count, nodes)
        return nodes
    }

    func anchor(at position: Int) -> [UInt8] { [epoch] + Array("\(position) ".utf8) + behaviour.anchorSuffix }

    func changes(in container: String, since anchor: [UInt8]) throws(ProviderError) -> ChangeBatch {
        guard anchor.first == epoch,
            let start = Int(String(decoding: anchor.dropFirst().prefix { $0 != 0x20 }, as: UTF8.self)),
            (0...log.count).contains(start)
        else { throw ProviderError(.expired, message: "The anchor has expired.") }
        let end = min(log.count, start + min(log.count, behaviour.changeLimit))
        var updated: [ProviderItem] = []
        var deleted: [String] = []
        var told: Set<ExactText> = []
        let isEverything = container == ProviderItem.workingSetIdentifier
        func isIn(_ folder: String?) -> Bool { folder?.hasSameBytes(as: container) == true }
        for change in log[start..<end] {
            guard !change.identifier.isEmpty, isEverything || isIn(change.from) || isIn(change.to),
                told.insert(change.identifier)
            else { continue }
            if let node = nodes[ExactText(change.identifier)] {
                if isEverything || isIn(node.item.parent) {
                    updated.append(node.item)
                } else {
                    deleted.append(change.identifier)
                }
            } else {
                deleted.append(change.identifier)
            }
        }
        return ChangeBatch(
            updated: updated, deleted: deleted, anchor: self.anchor(at: end), moreComing: end < log.count)
    }
}

extension ProviderItem {
    fileprivate mutating func take(_ attributes: ItemAttributes) {
        modified = attributes.modified ?? modified
        fileSystemFlags = attributes.permissions ?? fileSystemFlags
        for name in attributes.removed { extendedAttributes[name] = nil }
        extendedAttributes.merge(attributes.changed) { $1 }
    }
}
