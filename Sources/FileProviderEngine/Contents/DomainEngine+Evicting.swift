import FileProvider
import LinuxSystem

/// Contents that go: because the cache is full, because somebody says so, or because the provider has others.
extension DomainEngine {
    /// Removes a file's bytes from this machine; they are fetched again when a program reads them. A transfer of them ends, unless a
    /// program has the file open and bytes come; see ``endUnwantedTransfer(of:)``.
    ///
    /// Refused for what is edited, is open, or stays here.
    package func evict(_ number: ItemNumber) throws(ProviderFailure) {
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

    /// Removes a file's bytes as ``evict(_:)`` does, once it is closed. What a program has closed may be open for a moment still: the
    /// kernel tells of it behind, and a process that was forked meanwhile has it too until it runs its own program.
    ///
    /// - Parameter deadline: until when that is waited for; seconds since 1970.
    package func evict(_ number: ItemNumber, waitingUntil deadline: Double) async throws(ProviderFailure) {
        endUnwantedTransfer(of: number)
        while clock.now < deadline, !Task.isCancelled {
            guard openFiles.entry(number) != nil else { break }
            let row = try row(number)
            // No closing makes of these what may go.
            if row.content == .edited || row.staysHere { break }
            await clock.wait(Self.closingPause)
        }
        try evict(number)
    }

    private static let closingPause = 0.02

    /// Removes clean contents, unless they are open.
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

    /// The provider has other contents than those that are here: these go now, or when nobody has them open any more.
    func dropOutdatedContents(_ number: ItemNumber) {
        do throws(ProviderFailure) {
            let row = try openRow(number)
            if let parts = contents.parts.files[number], parts.file.version != row.item.contentVersion {
                partsAreOutdated(number)
            }
            if row.localVersion == row.item.contentVersion, contents.parts.files[number]?.isStale != true {
                openFiles.update(number) { $0.isOutdated = false }
            }
            // It may have been replaced by now.
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

    /// An item is gone: its bytes go now, or when nobody has them open any more.
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
            // They may be read still when this process has ended.
            if openFiles.entry(number)?.writers == 0 { try? folders.moveAside(number) }
        case .success: break
        case .failure(let error): remember(error)
        }
        cancelFetch(number)
    }

    /// The provider has an edit: the file is clean. Not to be called for one that is open for writing.
    ///
    /// - Parameter write: writes that down, with the size of what is here; see ``IndexedItem/settle(size:version:)``. Where it fails,
    ///   the file is what it was.
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

    /// Changes how many bytes of clean contents may stay. What is too much goes at once.
    package func setCacheLimit(_ bytes: Int64) {
        cacheLimit = bytes
        evictToLimit()
    }

    func evictToLimit() {
        // Neither what was removed with its item is counted off, nor what is kept.
        if let bytes = try? index.evictableBytes() { contents.cleanBytes = bytes }
        let excess = contents.cleanBytes - cacheLimit
        if excess > 0 { _ = evict(bytes: excess) }
    }

    /// Removes what was used least recently, neither edited nor open nor to be kept.
    ///
    /// - Returns: how many bytes are gone.
    func evict(bytes: Int64) -> Int64 {
        writeUses()
        var gone: Int64 = 0
        do throws(ProviderFailure) {
            while gone < bytes {
                // Those that are open are passed over.
                let limit = 64 + openFiles.withLock { $0.entries.count }
                let oldest = try write { writer throws(IndexFailure) in try writer.leastRecentlyUsed(limit: limit) }
                var isAnyGone = false
                for (number, _) in oldest where gone < bytes {
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

    /// Makes room on the disk for whoever writes to a file, by removing clean contents. None go for more than all of them have.
    ///
    /// - Parameter completion: told whether any are gone; called on the engine's thread, must not block.
    package nonisolated func makeRoom(for bytes: Int64, completion: @escaping @Sendable (Bool) -> Void) {
        perform { engine in
            let isEnough = bytes <= Self.leastRoom || (try? engine.index.evictableBytes()).map { bytes <= $0 } ?? false
            completion(isEnough && engine.evict(bytes: max(bytes, Self.leastRoom)) > 0)
        }
    }

    /// So many bytes go at least where a disk is full.
    static let leastRoom: Int64 = 4 << 20

    /// Does what takes room on the disk. Where that is full, clean contents go, and it is done once more.
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

    /// As ``write(freesSpace:_:)``, for what the provider tells: it counts for more than what can be fetched again.
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

    /// Keeps what went wrong where nobody waits for it, for the status.
    func remember(_ error: any Error) {
        configuration.states?.noteDomain()
        contents.lastFailure = error as? ProviderFailure ?? ProviderFailure(.transient, message: "\(error)")
    }
}

extension IndexedItem {
    /// The provider has the contents that are here.
    ///
    /// - Parameters:
    ///   - size: of what is here, in bytes.
    ///   - version: of what the provider has.
    mutating func settle(size: Int64, version: [UInt8]) {
        content = .current
        localSize = size
        localVersion = version
    }
}
