import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// Enumerates the changes of a container since a sync anchor, batch by batch.
///
/// It is a part of ``ChangeTracker``.
final class ChangeFeed {
    private let context: EngineContext
    private let reconciler: ItemReconciler
    private let refreshes: DirectoryRefreshes
    /// The containers with a running change request. The value is whether the changes of the container were requested
    /// once more after the request began.
    var running: [ExactText: Bool] = [:]

    init(_ context: EngineContext, _ reconciler: ItemReconciler, _ refreshes: DirectoryRefreshes) {
        self.context = context
        self.reconciler = reconciler
        self.refreshes = refreshes
    }

    /// Whether the given container may have changed after its running change request began.
    private func isWantedAgain(_ container: String) -> Bool {
        running[ExactText(container)] == true || refreshes.isQueued(container)
    }

    /// Requests the changes of the given container since the given sync anchor, and applies them batch by batch.
    func follow(
        _ container: String, from anchor: [UInt8], _ engine: isolated any EngineEvents
    ) async throws(ProviderError) {
        let (provider, configuration) = (context.provider, context.configuration)
        var anchor = anchor
        var guarded = EndlessFeed(from: anchor, limit: configuration.pagesWithoutNews)
        while true {
            let (size, since) = (configuration.pageSize, anchor)
            let request = context.replies.beginRequest()
            let batch = try await context.resources.patiently { () async throws(ProviderError) in
                try await provider.changes(in: container, since: since, suggestedSize: size)
            }
            guard !context.isClosed else { throw .closed }
            guard batch.anchor.count <= ProviderWire.longestToken else {
                throw ProviderError(
                    .expired, message: "The provider gave an anchor of more than \(ProviderWire.longestToken) bytes.")
            }
            let changes = try await reconciler.resolved(batch, in: container, engine)
            guard !context.isClosed else { throw .closed }
            let isLast = !batch.moreComing && !isWantedAgain(container)
            let hasNews = try reconciler.apply(
                changes, of: container, isLast: isLast, answering: request, engine)
            guard batch.moreComing else { return }
            if let kind = guarded.fault(of: batch, hasNews: hasNews) {
                throw ProviderError(kind, message: "The provider announced more changes and sent none.")
            }
            anchor = batch.anchor
        }
    }
}

extension EngineContext {
    /// Returns the sync anchor of the given container's last applied changes. Returns `nil` if no anchor is stored, or
    /// the provider supports none for the container.
    func anchor(of container: String) throws(ProviderError) -> [UInt8]? {
        let anchor = try onRecord { () throws(IndexError) in try index.anchor(of: container) }
        return anchor?.isEmpty == false ? anchor : nil
    }
}

/// Detects a change feed that continues without end and reports nothing new.
private struct EndlessFeed {
    let limit: Int
    private var anchors: Set<[UInt8]>
    /// Hashes of the identifiers that were reported.
    private var told: Set<Int> = []
    private var emptyBatches = 0
    private var batchesWithoutNews = 0
    private var repetitions = 0

    /// The maximum number of remembered identifiers. Once it is reached, every further identifier counts as reported
    /// before.
    private static let mostTold = 1 << 18
    /// The factor that raises the limit for batches that only repeat items but change something locally. Such items may
    /// really be changing continuously.
    private static let patience = 32

    init(from anchor: [UInt8], limit: Int) {
        self.limit = limit
        anchors = [anchor]
    }

    /// Returns the failure that ends the feed after the given batch; `nil` to continue.
    ///
    /// - Parameter hasNews: Whether the batch changed anything locally.
    /// - Returns: ``ProviderError/Kind/badAnswer`` for a feed without end. ``ProviderError/Kind/transient`` for a feed
    ///   that is possibly only long, so that the caller requests the further changes after a delay.
    mutating func fault(of batch: ChangeBatch, hasNews: Bool) -> ProviderError.Kind? {
        // A repeated anchor leads to the same batches again.
        if !anchors.insert(batch.anchor).inserted { return .badAnswer }
        emptyBatches = batch.updated.isEmpty && batch.deleted.isEmpty ? emptyBatches + 1 : 0
        if emptyBatches >= limit { return .badAnswer }
        // Items that are reported for the first time may change nothing locally, because they are already known from a
        // listing, or were created and removed meanwhile. So only a batch whose items were all reported before is a
        // repetition.
        var isRepetition = true
        for identifier in batch.updated.lazy.map(\.identifier) { if !isTold(identifier) { isRepetition = false } }
        for identifier in batch.deleted where !isTold(identifier) { isRepetition = false }
        if told.count >= Self.mostTold, hasNews { isRepetition = false }
        repetitions = isRepetition ? repetitions + 1 : 0
        batchesWithoutNews = isRepetition && !hasNews ? batchesWithoutNews + 1 : 0
        return batchesWithoutNews >= limit || repetitions >= limit * Self.patience ? .transient : nil
    }

    /// Returns whether the identifier was reported before, and records that it is reported now.
    private mutating func isTold(_ identifier: String) -> Bool {
        told.count >= Self.mostTold || !told.insert(ExactText(identifier).hashValue).inserted
    }
}
