import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// Evicts files, in order to stay within the cache limit, when a caller requests it, or when the provider has another
/// version. The ``EvictionPolicy`` chooses which files are evicted to stay within the limit.
///
/// It calls ``ContentCache`` and ``PartialContents``, and sends an event to another component (``EngineEvents``). Used
/// only on the engine's thread (see ``EngineContext``).
package final class Evictor: EngineComponent {
    let context: EngineContext
    private let cache: ContentCache
    private let partialContents: PartialContents

    init(_ context: EngineContext, _ cache: ContentCache, _ partialContents: PartialContents) {
        self.context = context
        self.cache = cache
        self.partialContents = partialContents
    }

    /// Evicts the given file. When a program reads it later, its contents are fetched again.
    ///
    /// - Throws: A failure of kind `notPermitted` if the file is dirty, open or pinned.
    func evict(_ number: ItemNumber, _ engine: isolated any EngineEvents) throws(ProviderError) {
        let row = try context.row(of: number)
        cache.older.remove(number)
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

    /// Evicts the clean contents and parts of the given file, unless it is open.
    ///
    /// - Parameter isOlder: Whether to retain the clean contents in ``OlderContents``, because the provider has another
    ///   version.
    /// - Returns: Whether the contents were evicted; `false` if the file is open.
    func drop(
        _ row: IndexedItem, isOlder: Bool = false, _ engine: isolated any EngineEvents
    ) throws(ProviderError) -> Bool {
        let result = openFiles.whileClosed(row.number) {
            if isOlder { cache.keepOlder(row) }
            return Result { () throws(ProviderError) in try cache.forgetContents(row.number) }
        }
        guard let result else { return false }
        try result.get()
        partialContents.end(row.number, engine)
        cache.noteCleanBytes(-row.localSize)
        return true
    }

    // MARK: The cache's size

    private var policy: any EvictionPolicy { context.configuration.evictionPolicy }

    /// Changes the limit of the size of clean contents, in bytes, and evicts the excess at once.
    package func setLimit(_ bytes: Int64, _ engine: isolated any EngineEvents) {
        cache.setLimit(bytes)
        evictToLimit(engine)
    }

    /// Evicts the excess, if the clean contents exceed the cache limit.
    func evictToLimit(_ engine: isolated any EngineEvents) {
        // The running count includes contents that were removed with their items, and those of pinned items, so it is
        // corrected first.
        if let bytes = try? context.index.evictableBytes() { cache.correctCleanBytes(bytes) }
        let excess = policy.excess(of: cache.cleanBytes + cache.older.evictableBytes, over: cache.cacheLimit)
        if excess > 0 { _ = evict(bytes: excess, engine) }
    }

    /// Evicts files that are neither dirty, open nor pinned, in the order that the ``EvictionPolicy`` returns. Contents
    /// of older versions are removed first.
    ///
    /// - Parameter bytes: The number of bytes to evict.
    /// - Returns: The number of bytes that were evicted. It is less than `bytes` if too few files can be evicted.
    func evict(bytes: Int64, _ engine: isolated any EngineEvents) -> Int64 {
        engine.usesMustBeWritten()
        let policy = policy
        var gone = cache.older.removeAll()
        do throws(ProviderError) {
            while gone < bytes {
                // The policy may also return open files, which are skipped.
                let limit = 64 + openFiles.withLock { $0.entries.count }
                let next = try context.write { writer throws(IndexError) in
                    try policy.next(among: writer, limit: limit)
                }
                var isAnyGone = false
                for number in next where gone < bytes {
                    guard !cache.isTransferred(number), let row = try? context.row(of: number),
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

    /// Evicts contents so that a write of the given number of bytes succeeds on a full disk. Evicts nothing if that
    /// would not free enough space; see ``EvictionPolicy/room(for:evictable:)``.
    ///
    /// - Returns: Whether anything was evicted.
    func makeRoom(for bytes: Int64, _ engine: isolated any EngineEvents) -> Bool {
        let room = policy.room(for: bytes) { [cache] in
            (try? context.index.evictableBytes()).map { $0 + cache.older.evictableBytes }
        }
        return room.map { evict(bytes: $0, engine) > 0 } ?? false
    }

    /// Runs an operation that needs disk space. If the operation fails because the disk is full, evicts clean contents
    /// and runs the operation once more.
    func makingRoom<Result>(
        _ engine: isolated any EngineEvents, _ body: () throws(ProviderError) -> Result
    ) throws(ProviderError) -> Result {
        do throws(ProviderError) {
            return try body()
        } catch {
            guard error.kind == .noSpace, evict(bytes: Self.leastRoom, engine) > 0 else { throw error }
            return try body()
        }
    }

    func makingRoom<Result>(
        _ engine: isolated any EngineEvents, _ body: () throws(EditError) -> Result
    ) throws(EditError) -> Result {
        do throws(EditError) {
            return try body()
        } catch {
            guard error.errno == .noSpace, evict(bytes: Self.leastRoom, engine) > 0 else { throw error }
            return try body()
        }
    }

    /// The minimum number of bytes that are evicted when the disk is full.
    static let leastRoom = LeastRecentlyUsedPolicy.leastRoom

    /// Writes to the index as ``EngineContext/write(freesSpace:_:)`` does. If the disk is full, evicts clean contents
    /// and writes again. Used for the provider's reports, which matter more than contents that can be fetched again.
    @discardableResult
    func writeMakingRoom<Result>(
        _ engine: isolated any EngineEvents, _ body: (inout IndexWriter) throws(IndexError) -> Result
    ) throws(ProviderError) -> Result {
        try makingRoom(engine) { () throws(ProviderError) in try context.write(body) }
    }
}
