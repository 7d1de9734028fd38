import FileProvider
import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// A component of an engine. See ``EngineContext`` for the rules that components follow.
protocol EngineComponent {
    var context: EngineContext { get }
}

/// Gives components direct access to the properties of the shared state.
extension EngineComponent {
    var configuration: DomainConfiguration { context.configuration }
    var provider: any Provider { context.provider }
    var clock: any EngineClock { context.clock }
    var index: Index { context.index }
    var journal: Journal { context.journal }
    var replies: ReplyOrdering { context.replies }
    var folders: ContentFolders { context.resources.folders }
    var openFiles: OpenFileTable { context.resources.openFiles }
    var uploads: UploadStates { context.resources.uploads }
    var durable: DurableWrites { context.resources.durable }
    var damage: DamageMark { context.resources.damage }
    var isClosed: Bool { context.isClosed }
    /// The present date for a local change of an item, in seconds since 1970.
    var dateNow: Double { clock.date(by: folders.edits) }

    @discardableResult
    func write<Result>(
        freesSpace: Bool = false, _ body: (inout IndexWriter) throws(IndexError) -> Result
    ) throws(ProviderError) -> Result {
        try context.write(freesSpace: freesSpace, body)
    }

    func row(_ number: ItemNumber) throws(ProviderError) -> IndexedItem { try context.row(of: number) }

    func visible(_ number: ItemNumber) throws(EditError) -> IndexedItem { try context.visible(number) }

    func identifier(of number: ItemNumber) throws(IndexError) -> String { try context.identifier(of: number) }

    func passMetadata(of number: ItemNumber, to identifier: String) throws(IndexError) {
        try context.passMetadata(of: number, to: identifier)
    }

    func isOpenForWriting(_ number: ItemNumber) -> Bool { openFiles.isOpenForWriting(number) }

    func checkOpen() throws(EditError) { try context.checkOpen() }

    /// Returns the backoff delay in seconds before the next attempt.
    ///
    /// - Parameter attempt: The number of failed attempts, beginning with 1.
    func delay(afterAttempt attempt: Int) -> Double { context.delay(afterAttempt: attempt) }

    /// Runs a job on the engine's thread after the given number of seconds, unless the engine has ended by then.
    ///
    /// - Returns: A handle that cancels the job if it has not started.
    @discardableResult
    func later(after seconds: Double, _ job: @escaping @Sendable (isolated DomainEngine) -> Void) -> Cancellable {
        clock.run(after: seconds) { [weak engine = context.engine] in engine?.perform(job) }
    }
}

/// Sends requests to the provider, and performs blocking work on other threads.
extension EngineComponent {
    nonisolated(nonsending) func asking<Answer: Sendable>(
        _ request: nonisolated(nonsending) () async throws(ProviderError) -> Answer
    ) async throws -> Answer {
        try await context.asking(request)
    }

    /// Performs a request that changes something at the provider. If the reply is lost, a later step finds out the
    /// result of the request.
    nonisolated(nonsending) func askingForChange<Answer: Sendable>(
        _ request: nonisolated(nonsending) () async throws(ProviderError) -> Answer
    ) async throws -> Answer {
        EngineStep.asked.reach()
        let answer = try await asking(request)
        EngineStep.answered.reach()
        return answer
    }

    /// Waits until all earlier writes are on disk.
    ///
    /// - Throws: ``EngineClosedError`` if the engine was closed meanwhile; ``LocalError`` if the disk failed.
    nonisolated(nonsending) func synchronized() async throws {
        let result = await withCheckedContinuation { continuation in
            durable.synchronize { continuation.resume(returning: $0) }
        }
        if isClosed { throw EngineClosedError() }
        do throws(Errno) { try result.get() } catch { throw LocalError(errno: error) }
    }

    /// Runs `body`, which may block, on another thread.
    ///
    /// - Throws: The failure of `body`; ``EngineClosedError`` if the engine was closed meanwhile.
    nonisolated(nonsending) func blocking<Answer: Sendable>(_ body: @escaping @Sendable () throws -> Answer)
        async throws -> Answer
    {
        let result: Result<Answer, any Error> = await withCheckedContinuation { continuation in
            HandlerThreads.shared.run { continuation.resume(returning: Result(catching: body)) }
        }
        if isClosed { throw EngineClosedError() }
        return try result.get()
    }

    /// Throws an error unless the provider's reply is about the item that was requested.
    ///
    /// - Parameter identifier: The expected identifier; `nil` if the provider may have changed it.
    func check(_ answer: ProviderItem, is kind: ProviderItem.Kind, _ identifier: String? = nil) throws(ProviderError) {
        let isRight =
            !answer.identifier.isEmpty && answer.identifier != ProviderItem.rootIdentifier
            && !IndexedItem.isReserved(answer.identifier) && answer.kind == kind
            && identifier.map(answer.identifier.hasSameBytes(as:)) ?? true
        guard isRight else {
            throw ProviderError(.badAnswer, message: "The provider's reply is about another item than the request.")
        }
    }
}
