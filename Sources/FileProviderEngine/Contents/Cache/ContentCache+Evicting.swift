import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// Eviction: to stay within the cache limit, on request, or because the provider has another version.
extension ContentCache {
    /// Evicts a file. A program that reads it later causes a new fetch.
    ///
    /// - Throws: a failure of kind `notPermitted` if the file is dirty, open or pinned.
    func evict(_ number: ItemNumber, _ engine: isolated any ContentCacheHost) throws(ProviderError) {
        let row = try context.row(of: number)
        older.remove(number)
        switch row.content {
        case .dataless: return
        case .edited:
            throw ProviderError(
                .notPermitted, message: "“\(row.name)” has changes that the provider does not have yet.")
        case .partial, .current: break
        }
        guard !row.staysLocal else { throw ProviderError(.notPermitted, message: "“\(row.name)” is kept locally.") }
        guard try drop(row, engine) else { throw ProviderError(.notPermitted, message: "“\(row.name)” is open.") }
    }

    /// Removes clean contents, unless the file is open. Returns whether they were removed.
    ///
    /// - Parameter isOlder: Whether they are kept as those of an older version.
    private func drop(
        _ row: IndexedItem, isOlder: Bool = false, _ engine: isolated any ContentCacheHost
    ) throws(ProviderError) -> Bool {
        let result = openFiles.whileClosed(row.number) {
            if isOlder { keepOlder(row) }
            return Result { () throws(ProviderError) in try forgetContents(row.number) }
        }
        guard let result else { return false }
        try result.get()
        endPartial(row.number, engine)
        noteCleanBytes(-row.localSize)
        return true
    }

    /// Removes contents of another version than the provider's: at once if the file is closed, otherwise after its
    /// last handle is closed. An open file grows or is replaced, if possible.
    func dropOutdatedContents(_ number: ItemNumber, _ engine: isolated any ContentCacheHost) {
        do throws(ProviderError) {
            let row = try openRow(number)
            if let partial = partials[number], partial.file.version != row.item.contentVersion {
                engine.partialFileIsOutdated(number)
            }
            if row.localVersion == row.item.contentVersion, !partials.isStale(number) {
                openFiles.update(number) { $0.isOutdated = false }
            }
            // The file may have been replaced meanwhile.
            guard openFiles.entry(number)?.successor == nil, row.content == .current || row.content == .partial,
                row.localVersion != row.item.contentVersion,
                row.content == .current || partials[number] == nil
            else { return }
            if try drop(row, isOlder: true, engine) {
                context.resources.events.tell(.contentsReplaced(number))
            } else {
                markOutdated(number)
                if fetchGrowth(row, engine) == .impossible { try replace(number, engine) }
            }
        } catch {
            context.recordBackgroundError(error)
        }
    }

    /// Records that the provider has another version of an open file than the one that handles have begun to read.
    func markOutdated(_ number: ItemNumber) { openFiles.update(number) { $0.isOutdated = true } }

    /// Removes the contents of a removed item: at once if the file is closed, otherwise after its last handle is
    /// closed.
    func discardContents(_ number: ItemNumber, _ engine: isolated any ContentCacheHost) {
        shareContents(number)
        older.remove(number)
        let result = openFiles.whileClosed(number) {
            Result { () throws(Errno) in
                for folder in [folders.clean, folders.parts, folders.edits, folders.removed] {
                    try folders.remove(number, in: folder)
                }
            }
        }
        switch result {
        case nil:
            openFiles.update(number) { $0.isDiscarded = true }
            // Handles may outlive this process, and the next engine finds their contents in `removed`.
            if openFiles.entry(number)?.writers == 0 { try? folders.moveAside(number) }
        case .success: break
        case .failure(let error): context.recordBackgroundError(error)
        }
        engine.contentsAreUnneeded(number)
    }

    /// Moves an edit that the provider has confirmed to the clean contents. Not to be called for a file that is open
    /// for writing.
    ///
    /// - Parameter write: records the new state, given the size of the local contents in bytes; see
    ///   ``IndexedItem/settle(size:version:)``. If it throws, the file is moved back.
    func reconcileContents<Result>(
        _ number: ItemNumber, _ engine: isolated any ContentCacheHost, _ write: (_ size: Int64) throws -> Result
    ) throws -> Result {
        let size = try onDisk { () throws(Errno) -> Int64 in
            let status = try folders.edits.status(of: ContentFolders.name(number))
            try folders.move(number, from: folders.edits, to: folders.clean)
            return Int64(status.size)
        }
        EngineStep.settledMoved.reach()
        let result: Result
        do {
            result = try write(size)
        } catch {
            try? folders.move(number, from: folders.clean, to: folders.edits)
            throw error
        }
        noteCleanBytes(size)
        older.remove(number)
        if isOverLimit { evictToLimit(engine) }
        return result
    }

    // MARK: The cache's size

    private var policy: any EvictionPolicy { context.configuration.evictionPolicy }

    func evictToLimit(_ engine: isolated any ContentCacheHost) {
        // The running count includes contents that were removed with their items, and those of pinned items.
        if let bytes = try? context.index.evictableBytes() { correctCleanBytes(bytes) }
        let excess = policy.excess(of: cleanBytes + older.evictableBytes, over: cacheLimit)
        if excess > 0 { _ = evict(bytes: excess, engine) }
    }

    /// Evicts files that are neither dirty, open nor pinned, in the order of the ``EvictionPolicy``.
    ///
    /// - Returns: the number of bytes that were evicted.
    func evict(bytes: Int64, _ engine: isolated any ContentCacheHost) -> Int64 {
        engine.writeUses(isEnd: false)
        let policy = policy
        var gone = older.removeAll()
        do throws(ProviderError) {
            while gone < bytes {
                // Open files may be among the next ones, but are skipped.
                let limit = 64 + openFiles.withLock { $0.entries.count }
                let next = try context.write { writer throws(IndexError) in
                    try policy.next(among: writer, limit: limit)
                }
                var isAnyGone = false
                for number in next where gone < bytes {
                    guard !isTransferred(number), let row = try? context.row(of: number),
                        row.content == .current || row.content == .partial, !row.staysLocal, try drop(row, engine)
                    else { continue }
                    gone += row.localSize
                    isAnyGone = true
                }
                if !isAnyGone { break }
            }
        } catch {
            context.recordBackgroundError(error)
        }
        return gone
    }

    /// Evicts clean contents to make room for a write on a full disk. Nothing is evicted if that would not make enough
    /// room; see ``EvictionPolicy/room(for:evictable:)``.
    ///
    /// - Returns: Whether anything was evicted.
    func makeRoom(for bytes: Int64, _ engine: isolated any ContentCacheHost) -> Bool {
        let room = policy.room(for: bytes) { [older] in
            (try? context.index.evictableBytes()).map { $0 + older.evictableBytes }
        }
        return room.map { evict(bytes: $0, engine) > 0 } ?? false
    }

    /// Runs an operation that needs disk space. If the disk is full, evicts clean contents and retries once.
    func makingRoom<Result>(
        _ engine: isolated any ContentCacheHost, _ body: () throws(ProviderError) -> Result
    ) throws(ProviderError) -> Result {
        do throws(ProviderError) {
            return try body()
        } catch {
            guard error.kind == .noSpace, evict(bytes: Self.leastRoom, engine) > 0 else { throw error }
            return try body()
        }
    }

    func makingRoom<Result>(
        _ engine: isolated any ContentCacheHost, _ body: () throws(EditError) -> Result
    ) throws(EditError) -> Result {
        do throws(EditError) {
            return try body()
        } catch {
            guard error.errno == .noSpace, evict(bytes: Self.leastRoom, engine) > 0 else { throw error }
            return try body()
        }
    }

    /// The minimum number of bytes to evict when the disk is full.
    static let leastRoom = LeastRecentlyUsedPolicy.leastRoom
}
