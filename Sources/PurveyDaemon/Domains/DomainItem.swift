import DomainMessages
import FileProviderEngine
import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// One item of a running domain, for the calls of commands.
struct DomainItem: Sendable {
    let domain: RunningDomain
    let item: IndexedItem

    private var engine: DomainEngine { domain.engine }

    /// Finds an item by the names on its path. Lists directories on the path that were never listed.
    static func find(_ names: [String], in domain: RunningDomain) async throws -> DomainItem {
        let index = domain.engine.index
        var number = ItemNumber.root
        for name in names {
            try await domain.engine.wait(for: number, .item(named: name))
            guard
                let found = try await HandlerThreads.shared.value(of: { [number] () throws in
                    try index.item(named: name, in: number)
                })
            else { throw Self.notThere }
            number = found.number
        }
        guard let item = try await HandlerThreads.shared.value(of: { [number] () throws in try index.item(number) })
        else { throw Self.notThere }
        return DomainItem(domain: domain, item: item)
    }

    /// Finds an item by the names on its path. Sends no request to the provider if the index has the item. Otherwise
    /// does the same as ``find(_:in:)``.
    static func findKnown(_ names: [String], in domain: RunningDomain) async throws -> DomainItem {
        let index = domain.engine.index
        let known = try await HandlerThreads.shared.value { () throws -> IndexedItem? in
            var item = try index.item(.root)
            for name in names {
                item = try item.flatMap { folder throws in try index.item(named: name, in: folder.number) }
            }
            return item
        }
        if let known { return DomainItem(domain: domain, item: known) }
        return try await find(names, in: domain)
    }

    private static let notThere = DomainError("there is no such file or folder", .noSuchItem)

    // MARK: Descriptions

    /// The number of items in one page of a listing.
    private static let partSize = 500

    func list(after position: Int64?) async throws -> ListFolderCall.Reply {
        guard item.item.kind == .folder else { return ListFolderCall.Reply(items: [try await describe()], next: nil) }
        let start = position.map { ItemNumber(rawValue: $0) }
        // Waits only for the next page, because the provider's listing arrives page by page.
        try await engine.wait(for: item.number, .more(after: start))
        let children = try await children(of: item.number, after: start, limit: Self.partSize)
        let isEnd: Bool
        if children.count < Self.partSize {
            let state = try engine.index.item(item.number)?.listing
            isEnd = children.isEmpty || state == .complete
        } else {
            isEnd = false
        }
        let edits = try await edits(of: children)
        return ListFolderCall.Reply(
            items: children.map { ItemDescription($0, edits[$0.number]) },
            next: isEnd ? nil : children.last?.number.rawValue)
    }

    func describe() async throws -> ItemDescription { ItemDescription(item, try await edits(of: [item])[item.number]) }

    private func edits(of items: [IndexedItem]) async throws -> [ItemNumber: EditStatus.Item] {
        let edited = items.filter { !$0.isUploaded }.map(\.number)
        return edited.isEmpty ? [:] : try await engine.run { try $0.progress.editStatus(of: edited) }
    }

    private func children(
        of folder: ItemNumber, after start: ItemNumber? = nil, limit: Int = .max,
        where isWanted: @escaping @Sendable (IndexedItem) -> Bool = { _ in true }
    ) async throws -> [IndexedItem] {
        let index = engine.index
        return try await HandlerThreads.shared.value {
            try Self.children(of: folder, after: start, limit: limit, in: index, where: isWanted)
        }
    }

    private static func children(
        of folder: ItemNumber, after start: ItemNumber?, limit: Int, in index: Index,
        where isWanted: (IndexedItem) -> Bool
    ) throws(IndexError) -> [IndexedItem] {
        var children: [IndexedItem] = []
        try index.children(of: folder, after: start, limit: limit) { child in
            if isWanted(child) { children.append(child) }
            return true
        }
        return children
    }

    // MARK: Bytes

    typealias Report = @Sendable (_ completed: Int64, _ total: Int64) -> Void

    /// The number of concurrent fetches.
    private static let width = 4

    /// Materializes a file, or all files in a directory.
    func download(_ report: @escaping Report) async throws {
        let files = try await files(listing: true)
        guard !files.isEmpty else { return }
        let progress = FetchProgress(files, report)
        let watch = Task { [engine] in
            while !Task.isCancelled {
                try await Task.sleep(for: .milliseconds(250))
                progress.take(try await engine.status().downloads)
            }
        }
        defer { watch.cancel() }
        try await withThrowingTaskGroup { group in
            var rest = files[...]
            var underWay = 0
            while true {
                while underWay < Self.width, let file = rest.popFirst() {
                    underWay += 1
                    group.addTask { [engine] in
                        try Task.checkCancellation()
                        do {
                            try await Self.download(file, engine)
                        } catch {
                            throw failure(of: file, "cannot be fetched", error)
                        }
                        progress.finish(file)
                    }
                }
                guard try await group.next() != nil else { return }
                underWay -= 1
            }
        }
    }

    /// Calls `body` with the current number of an item. The number changes when a file is replaced while it is open.
    private static func withNumber(
        of item: IndexedItem, _ engine: DomainEngine,
        _ body: (ItemNumber) async throws(ProviderError) -> Void
    ) async throws {
        do throws(ProviderError) {
            try await body(item.number)
        } catch {
            guard error.kind == .noSuchItem, let now = try engine.index.item(identifier: item.item.identifier),
                now.number != item.number, now.isShown
            else { throw error }
            try await body(now.number)
        }
    }

    /// Materializes a file, even if its item number changes meanwhile.
    private static func download(_ file: IndexedItem, _ engine: DomainEngine) async throws {
        try await withNumber(of: file, engine) { number throws(ProviderError) in
            try await engine.download(number)
        }
    }

    /// Pins or unpins the item.
    private func setPinned(_ isPinned: Bool) async throws {
        try await Self.withNumber(of: item, engine) { number throws(ProviderError) in
            try await engine.run { engine throws(ProviderError) in try engine.pinning.pin(number, isPinned, engine) }
        }
    }

    /// Pins the item and materializes it. Items that are added to a pinned directory later are pinned, too.
    func keep(_ report: @escaping Report) async throws {
        try await setPinned(true)
        try await download(report)
    }

    /// Unpins the item, if the user pinned it. Its contents may then be evicted.
    func endKeeping() async throws {
        if item.isPinnedByFolder, !item.isPinned { throw try await errorOfPinnedItem() }
        if item.isPinned { try await setPinned(false) }
    }

    /// Evicts a file, or all clean files in a directory. Items in the directory that are pinned themselves stay local.
    ///
    /// - Parameter unpins: Whether to unpin the item. If `false`, a pinned item causes an error.
    func evict(unpins: Bool) async throws {
        if item.isPinnedByFolder || item.isPinned && !unpins { throw try await errorOfPinnedItem() }
        if item.isPinned { try await setPinned(false) }
        var failures: [DomainError] = []
        // Dataless files that are not being fetched are skipped. A directory may have a million files of which only a
        // few are local.
        let fetched = await engine.filesBeingFetched
        let files = try await files(listing: false) { $0.content != .dataless || fetched.contains($0.number) }
        let deadline = engine.clock.now + Self.closingTime
        for file in files where item.number == file.number || !file.staysLocal {
            try Task.checkCancellation()
            do {
                try await Self.withNumber(of: file, engine) { number throws(ProviderError) in
                    try await engine.evict(number, waitingUntil: deadline)
                }
            } catch {
                failures.append(failure(of: file, "stays", error))
            }
        }
        guard let first = failures.first else { return }
        throw failures.count == 1 ? first : DomainError("\(failures.count) files stay; \(first)")
    }

    /// The time in seconds to wait for files to be closed.
    private static let closingTime = 1.0

    private func errorOfPinnedItem() async throws -> DomainError {
        let index = engine.index
        let names = try await HandlerThreads.shared.value { [item] () throws in
            let keeper = item.isPinned ? item : try index.pinningFolder(item)
            return try keeper.map { try index.names(onTheWayTo: $0) } ?? []
        }
        let keeper = engine.configuration.displayName + ":" + names.joined(separator: "/")
        return DomainError(
            item.isPinnedByFolder
                ? "it stays, because it is kept with its folder \(keeper); 'purvey evict' of that ends it for the whole folder"
                : "it stays, because you keep it", .kept)
    }

    /// Returns the error for a file, which is either the item itself or a file in it.
    private func failure(of file: IndexedItem, _ what: String, _ error: any Error) -> DomainError {
        let failure = DomainError(error)
        return DomainError("\(file.number == item.number ? "it" : file.name) \(what): \(failure)", like: error)
    }

    /// Returns the item itself if it is a file, or all files in it if it is a directory.
    ///
    /// - Parameters:
    ///   - listing: Whether to list directories that were not listed; if `false`, only known items are returned.
    ///   - isWanted: Whether a file in a directory is included.
    private func files(
        listing: Bool, where isWanted: @escaping @Sendable (IndexedItem) -> Bool = { _ in true }
    ) async throws -> [IndexedItem] {
        switch item.item.kind {
        case .file: return [item]
        case .symbolicLink: return []
        case .folder: break
        }
        var files: [IndexedItem] = []
        var folders = [item.number]
        while let folder = folders.popLast() {
            try Task.checkCancellation()
            if listing { try await engine.wait(for: folder, .complete) }
            let children = try await children(of: folder) { $0.item.kind != .file || isWanted($0) }
            for child in children {
                switch child.item.kind {
                case .file: files.append(child)
                case .folder: folders.append(child.number)
                case .symbolicLink: break
                }
            }
        }
        return files
    }
}

/// The joint progress of several fetches.
private final class FetchProgress: Sendable {
    private struct State {
        var done: Int64 = 0
        /// The number of bytes fetched so far, for files that are being fetched.
        var parts: [ItemNumber: Int64] = [:]
        var finished: Set<ItemNumber> = []
    }

    // Reports are sent under the lock, so that they stay in order. Sending a report acquires no lock of this type.
    private let state = Lock(State())
    private let total: Int64
    private let report: DomainItem.Report

    init(_ files: [IndexedItem], _ report: @escaping DomainItem.Report) {
        total = files.reduce(0) { $0 &+ max(0, $1.item.size ?? 0) }
        self.report = report
    }

    func take(_ transfers: [DomainStatus.Transfer]) {
        state.withLock { state in
            for transfer in transfers where !state.finished.contains(transfer.number) {
                state.parts[transfer.number] = transfer.done
            }
            tell(state)
        }
    }

    func finish(_ file: IndexedItem) {
        state.withLock { state in
            state.finished.insert(file.number)
            state.parts[file.number] = nil
            state.done &+= max(0, file.item.size ?? 0)
            tell(state)
        }
    }

    private func tell(_ state: State) {
        report(min(total, state.parts.values.reduce(state.done) { $0 &+ $1 }), total)
    }
}

extension ItemDescription {
    /// Creates the description of an item.
    ///
    /// - Parameter edit: The state of the item's edit; `nil` if the item has no edit.
    init(_ item: IndexedItem, _ edit: EditStatus.Item?) {
        let upload = edit.map {
            UploadState(isUnderWay: $0.isUnderWay, sent: $0.sent, total: $0.total, failure: $0.failure)
        }
        let state = State(item.state(upload))
        let isHere = item.hasAllBytes
        let failure = edit?.failure ?? item.item.uploadingError
        self.init(
            name: item.number == .root ? "/" : item.name, identifier: item.item.identifier, kind: item.item.kind,
            contentType: item.contentType, size: isHere ? item.localSize : item.item.size,
            modified: item.localModified ?? item.item.modified, state: state, isPinned: item.staysLocal,
            fault: state == .error ? failure.map(ItemFault.init) : nil, target: item.item.linkTarget)
        isPinnedByFolder = item.isPinnedByFolder
        isUploaded = item.isUploaded
        isUploading = state == .uploading
        if isUploading { (sent, total) = (edit?.sent ?? 0, edit?.total ?? 0) }
    }
}

extension ItemDescription.State {
    fileprivate init(_ state: ItemState) {
        switch state {
        case .dataless: self = .dataless
        case .partial: self = .partial
        case .current: self = .current
        case .edited: self = .edited
        case .uploading: self = .uploading
        case .error: self = .error
        }
    }
}

extension ItemFault {
    fileprivate init(_ failure: ProviderError) {
        let kind: Kind =
            failure.kind == .notAuthenticated ? .authentication : failure.needsUser ? .persistent : .transient
        self.init(kind: kind, message: failure.message, suggestion: failure.suggestion)
    }
}
