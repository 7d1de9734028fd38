import FileProvider
import LinuxSystem

/// Eviction: to stay within the cache limit, on request, or because the provider has another version.
extension DomainEngine {
    /// Evicts a file. A program that reads it later causes a new fetch. A transfer of the file is cancelled, unless a
    /// program has the file open and the transfer makes progress; see ``endUnwantedTransfer(of:)``.
    ///
    /// - Throws: a failure of kind `notPermitted` if the file is dirty, open or pinned.
    package func evict(_ number: ItemNumber) throws(ProviderFailure) {
        let number = currentNumber(number)
        endUnwantedTransfer(of: number)
        let row = try row(number)
        switch row.content {
        case .dataless: return
        case .edited:
            throw ProviderFailure(
                .notPermitted, message: "“\(row.name)” was changed here, and the provider does not have it yet.")
        case .partial, .current: break
        }
        guard !row.staysHere else { throw ProviderFailure(.notPermitted, message: "“\(row.name)” is kept here.") }
        guard try drop(row) else { throw ProviderFailure(.notPermitted, message: "“\(row.name)” is open.") }
    }

    /// Evicts a file as ``evict(_:)`` does, after waiting for its handles to be closed. A file may stay open briefly
    /// after its program closed it: the kernel sends FUSE_RELEASE asynchronously, and a forked process inherits the
    /// descriptor until it calls execve(2).
    ///
    /// - Parameter deadline: the time at which waiting ends, in seconds since 1970.
    package func evict(_ number: ItemNumber, waitingUntil deadline: Double) async throws(ProviderFailure) {
        endUnwantedTransfer(of: currentNumber(number))
        while clock.now < deadline, !Task.isCancelled {
            // The file may be replaced while this waits.
            let number = currentNumber(number)
            guard openFiles.entry(number) != nil else { break }
            let row = try row(number)
            // Such a file cannot be evicted even when it is closed.
            if row.content == .edited || row.staysHere { break }
            await clock.wait(Self.closingPause)
        }
        try evict(number)
    }

    private static let closingPause = 0.02

    /// Removes clean contents, unless the file is open. Returns whether they were removed.
    private func drop(_ row: IndexedItem) throws(ProviderFailure) -> Bool {
        let result = openFiles.whileClosed(row.number) {
            Result { () throws(ProviderFailure) in try forgetContents(row.number) }
        }
        guard let result else { return false }
        try result.get()
        endParts(row.number)
        contents.cleanBytes = max(0, contents.cleanBytes - row.localSize)
        return true
    }

    /// Removes contents of another version than the provider's: at once if the file is closed, otherwise after its
    /// last handle is closed. An open file grows or is replaced, if possible.
    func dropOutdatedContents(_ number: ItemNumber) {
        do throws(ProviderFailure) {
            let row = try openRow(number)
            if let parts = contents.parts.files[number], parts.file.version != row.item.contentVersion {
                partsAreOutdated(number)
            }
            if row.localVersion == row.item.contentVersion, contents.parts.files[number]?.isStale != true {
                openFiles.update(number) { $0.isOutdated = false }
            }
            // The file may have been replaced meanwhile.
            guard openFiles.entry(number)?.successor == nil, row.content == .current || row.content == .partial,
                row.localVersion != row.item.contentVersion,
                row.content == .current || contents.parts.files[number] == nil
            else { return }
            if try drop(row) {
                events.tell(.contentsReplaced(number))
            } else {
                openFiles.update(number) { $0.isOutdated = true }
                if fetchGrowth(row) == .impossible { try replace(number) }
            }
        } catch {
            remember(error)
        }
    }

    /// Removes the contents of a removed item: at once if the file is closed, otherwise after its last handle is
    /// closed.
    func discardContents(_ number: ItemNumber) {
        shareContents(number)
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
        case .failure(let error): remember(error)
        }
        cancelFetch(number)
    }

    /// Moves an edit that the provider has confirmed to the clean contents. Not to be called for a file that is open
    /// for writing.
    ///
    /// - Parameter write: records the new state, given the size of the local contents in bytes; see
    ///   ``IndexedItem/settle(size:version:)``. If it throws, the file is moved back.
    func settleContents<Result>(_ number: ItemNumber, _ write: (_ size: Int64) throws -> Result) throws -> Result {
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
        contents.cleanBytes += size
        if contents.cleanBytes > cacheLimit { evictToLimit() }
        return result
    }

    // MARK: The cache's size

    /// Changes the limit of the size of clean contents, in bytes, and evicts the excess at once.
    package func setCacheLimit(_ bytes: Int64) {
        cacheLimit = bytes
        evictToLimit()
    }

    func evictToLimit() {
        // The running count includes contents that were removed with their items, and those of pinned items.
        if let bytes = try? index.evictableBytes() { contents.cleanBytes = bytes }
        let excess = configuration.evictionPolicy.excess(of: contents.cleanBytes, over: cacheLimit)
        if excess > 0 { _ = evict(bytes: excess) }
    }

    /// Evicts files that are neither dirty, open nor pinned, in the order of the ``EvictionPolicy``.
    ///
    /// - Returns: the number of bytes that were evicted.
    func evict(bytes: Int64) -> Int64 {
        writeUses()
        let policy = configuration.evictionPolicy
        var gone: Int64 = 0
        do throws(ProviderFailure) {
            while gone < bytes {
                // Open files may be among the next ones, but are skipped.
                let limit = 64 + openFiles.withLock { $0.entries.count }
                let next = try write { writer throws(IndexFailure) in try policy.next(among: writer, limit: limit) }
                var isAnyGone = false
                for number in next where gone < bytes {
                    guard contents.fetches[number] == nil, contents.parts.files[number] == nil,
                        let row = try? row(number), row.content == .current || row.content == .partial, !row.staysHere,
                        try drop(row)
                    else { continue }
                    gone += row.localSize
                    isAnyGone = true
                }
                if !isAnyGone { break }
            }
        } catch {
            remember(error)
        }
        return gone
    }

    /// Evicts clean contents to make room for a write on a full disk. Nothing is evicted if that would not make enough
    /// room; see ``EvictionPolicy/room(for:evictable:)``.
    ///
    /// - Parameter completion: receives whether anything was evicted. Called on the engine's thread; must not block.
    package nonisolated func makeRoom(for bytes: Int64, completion: @escaping @Sendable (Bool) -> Void) {
        perform { engine in
            let room = engine.configuration.evictionPolicy.room(for: bytes) { try? engine.index.evictableBytes() }
            completion(room.map { engine.evict(bytes: $0) > 0 } ?? false)
        }
    }

    /// The minimum number of bytes to evict when the disk is full.
    static let leastRoom = LeastRecentlyUsedPolicy.leastRoom

    /// Runs an operation that needs disk space. If the disk is full, evicts clean contents and retries once.
    func makingRoom<Result>(
        _ body: () throws(ProviderFailure) -> Result
    ) throws(ProviderFailure) -> Result {
        do throws(ProviderFailure) {
            return try body()
        } catch {
            guard error.kind == .noSpace, evict(bytes: Self.leastRoom) > 0 else { throw error }
            return try body()
        }
    }

    /// Writes to the index as ``write(freesSpace:_:)`` does, and evicts clean contents if the disk is full. Used for
    /// the provider's reports, which matter more than contents that can be fetched again.
    @discardableResult
    func writeMakingRoom<Result>(
        _ body: (inout IndexWriter) throws(IndexFailure) -> Result
    ) throws(ProviderFailure) -> Result {
        try makingRoom { () throws(ProviderFailure) in try write(body) }
    }

    func makingRoom<Result>(_ body: () throws(EditFailure) -> Result) throws(EditFailure) -> Result {
        do throws(EditFailure) {
            return try body()
        } catch {
            guard error.errno == .noSpace, evict(bytes: Self.leastRoom) > 0 else { throw error }
            return try body()
        }
    }
}

extension IndexedItem {
    /// Marks the local contents as clean.
    ///
    /// - Parameters:
    ///   - size: the size of the local contents, in bytes.
    ///   - version: the version at the provider.
    mutating func settle(size: Int64, version: [UInt8]) {
        content = .current
        localSize = size
        localVersion = version
    }
}
