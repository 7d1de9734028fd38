import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// The state that all components of one engine share, and the operations on this state that most of them need.
///
/// Neither the context nor a component is `Sendable`. ``DomainEngine`` creates them and stores them in isolated
/// properties, so the compiler's region analysis confines them to the actor: a closure for another thread, or a task
/// that is not isolated to the engine, cannot capture them. All their code therefore runs on ``EngineThread``, without
/// a lock, a check at run time or an `await`.
///
/// A method of a component that calls other parts of the engine has the engine as an `isolated` parameter.
///
/// The alternatives are worse. If each component were an actor with this thread as its executor, each call would be an
/// `await`, during which other work may run. A global actor would run all engines of a process on one executor. Checks
/// such as `assumeIsolated` cost time and find a mistake only when it is made.
final class EngineContext {
    let resources: EngineResources
    let journal: Journal
    /// The engine, on whose thread components schedule later work. Set when the engine starts.
    weak var engine: DomainEngine?
    /// The delays between repeated attempts of an operation.
    let backoff = Backoff()
    /// Whether the recovery of edits has completed. Before, local edits are neither accepted nor sent.
    private(set) var isReady = false
    /// Whether the engine was closed. A closed engine starts no work and writes nothing.
    private(set) var isClosed = false
    /// The last failure of the disk or the index that was not reported to a caller. The domain's status reports it.
    private(set) var backgroundFailure: ProviderError?
    /// The failure of the last request to the provider; `nil` after a success. The domain's status reports it.
    private(set) var requestFailure: ProviderError?

    init(_ resources: EngineResources, journal: Journal) {
        self.resources = resources
        self.journal = journal
    }

    var configuration: DomainConfiguration { resources.configuration }
    var provider: any Provider { resources.provider }
    var clock: any EngineClock { resources.clock }
    var index: Index { resources.index }
    var replies: ReplyOrdering { resources.replies }

    func becomeReady() { isReady = true }

    func close() {
        isClosed = true
        resources.close()
    }

    /// Throws `EIO` unless the engine accepts local edits now.
    func checkOpen() throws(EditError) {
        guard !isClosed, isReady else { throw EditError(.inputOutput) }
    }

    // MARK: The index

    /// Returns the row of the item with the given number.
    ///
    /// - Parameter evenIfDeleted: Whether to return the row even if the item was removed locally.
    /// - Throws: A failure of kind `expired` if the provider's version, which has another item number, has replaced the
    ///   file; `noSuchItem` if the item does not exist.
    func row(of number: ItemNumber, evenIfDeleted: Bool = false) throws(ProviderError) -> IndexedItem {
        do throws(IndexError) {
            let row = try evenIfDeleted ? index.itemEvenIfDeleted(number) : index.item(number)
            if let row { return row }
        } catch {
            resources.damage.note(error)
            throw ProviderError(error)
        }
        throw resources.openFiles.entry(number)?.successor == nil ? .noSuchItem : .otherVersion
    }

    /// Returns the item with the given number. Throws `ENOENT` if it does not exist or is not visible locally.
    func visible(_ number: ItemNumber) throws(EditError) -> IndexedItem {
        guard let row = try reading({ () throws(IndexError) in try index.item(number) }) else {
            throw EditError(.noSuchFile)
        }
        return row
    }

    /// Runs one transaction on the index and converts its failure to a ``ProviderError``.
    ///
    /// - Parameter freesSpace: Whether the transaction frees disk space. If the disk is full, such a transaction may
    ///   use the space that is reserved for it.
    @discardableResult
    func write<Result>(
        freesSpace: Bool = false, _ body: (inout IndexWriter) throws(IndexError) -> Result
    ) throws(ProviderError) -> Result {
        do throws(IndexError) {
            return try index.write(freesSpace: freesSpace, body)
        } catch {
            resources.damage.note(error)
            throw ProviderError(error)
        }
    }

    /// Replaces the identifiers of known items by those in the provider's report, in a transaction on the index.
    ///
    /// - Parameters:
    ///   - items: The reported items.
    ///   - gone: The identifiers of items that the provider reported as removed.
    /// - Returns: The items whose identifiers were replaced.
    func reidentify(
        _ items: [ProviderItem], gone: [String] = [], _ writer: inout IndexWriter
    ) throws(IndexError) -> [Reidentified] {
        let others = try writer.reidentify(items, gone: gone)
        for other in others { try passMetadata(of: other.number, to: other.identifier) }
        return others
    }

    /// Stores the unsent user metadata of an item under the item's new identifier. Called before the index gets the new
    /// identifier, so that a crash between the two writes loses no user metadata.
    func passMetadata(of number: ItemNumber, to identifier: String) throws(IndexError) {
        guard var entry = try journal.metadata(number), !entry.identifier.hasSameBytes(as: identifier),
            !entry.identifier.hasPrefix(IndexedItem.localPrefix)
        else { return }
        entry.identifier = identifier
        try journal.putMetadata([entry])
    }

    /// Returns the identifier of the item with the given number; that of the root if the item does not exist.
    func identifier(of number: ItemNumber) throws(IndexError) -> String {
        try index.item(number)?.item.identifier ?? ProviderItem.rootIdentifier
    }

    func isWithin(_ top: ItemNumber, _ number: ItemNumber) throws(IndexError) -> Bool {
        var number = number
        // The depth is bounded, in case the index is damaged and has a cycle.
        for _ in 0..<IndexedItem.mostAncestors {
            if number == top { return true }
            guard number != .root, let above = try index.itemEvenIfDeleted(number)?.parent else { break }
            number = above
        }
        return false
    }

    // MARK: Requests

    /// Performs a request to the provider and returns its reply.
    ///
    /// - Throws: The failure of the request; ``EngineClosedError`` if the engine was closed meanwhile.
    nonisolated(nonsending) func asking<Reply: Sendable>(
        _ request: nonisolated(nonsending) () async throws(ProviderError) -> Reply
    ) async throws -> Reply {
        let result: Result<Reply, ProviderError>
        do throws(ProviderError) {
            result = .success(try await request())
        } catch {
            result = .failure(error)
        }
        if isClosed { throw EngineClosedError() }
        return try result.get()
    }

    // MARK: Failures

    /// Records a failure that is not reported to a caller, for display in the domain's status.
    func recordBackgroundError(_ error: any Error) {
        configuration.states?.noteDomain()
        backgroundFailure = error as? ProviderError ?? ProviderError(.transient, message: "\(error)")
    }

    /// Clears the recorded failure, because later work has succeeded.
    func clearBackgroundFailure() { backgroundFailure = nil }

    func recordRequestFailure(_ failure: ProviderError) { requestFailure = failure }

    func clearRequestFailure() { requestFailure = nil }

    /// The maximum delay in seconds between attempts on a full disk. It is short, because no event reports that the
    /// disk has space again.
    static let longestWaitForSpace = 10.0

    /// Returns the backoff delay in seconds before the next attempt.
    ///
    /// - Parameter attempt: The number of failed attempts, beginning with 1.
    func delay(afterAttempt attempt: Int) -> Double {
        var generator = SystemRandomNumberGenerator()
        return backoff.delay(afterAttempt: attempt, using: &generator)
    }
}

/// Computes the delay between two attempts. It doubles with each failure. It is randomized, so that many items do not
/// retry at the same time.
struct Backoff: Sendable {
    /// The delay in seconds after the first failure, and the maximum delay in seconds.
    var first: Double = 1
    var longest: Double = 300

    /// Returns the delay in seconds before the next attempt.
    ///
    /// - Parameter attempt: The number of failed attempts, beginning with 1.
    func delay(afterAttempt attempt: Int, using generator: inout some RandomNumberGenerator) -> Double {
        let doublings = Double(1 << min(max(attempt, 1) - 1, 20))
        let pause = min(first * doublings, longest)
        return Double.random(in: pause * 0.75...pause, using: &generator)
    }
}
