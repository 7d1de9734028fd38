import AppExtension
import Conduit
import ExtensionHost
import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// A provider that is an extension in a process of its own.
///
/// If the process ends before its reply to a request that changes nothing, the request is repeated once. Replies are
/// validated: their sizes are limited, and each concerns the requested item.
package final class ExtensionProvider: Provider {
    let process: ProviderProcess
    private let requests = AsyncSemaphore(permits: 32)
    private let transfers = AsyncSemaphore(permits: 8)
    /// The semaphore for new files and new contents. The engine limits their number to what the provider declares
    /// (``DomainConfiguration/uploadLimit``), so that a provider can send many small files in one request.
    let uploads = AsyncSemaphore(permits: 128)
    /// The semaphore for requests for byte ranges. It is separate from the one for whole files, because programs wait
    /// for byte ranges and these requests must not queue behind long fetches.
    let parts = AsyncSemaphore(permits: 8)
    /// The semaphore for requests whose replies other processes wait for. It is separate so that these requests and the
    /// engine's own do not delay each other.
    private let coordinated = AsyncSemaphore(permits: 64)
    /// Counts the programs that use items' files in place.
    let uses = ItemUses()
    /// The provider's abilities, such as fetching byte ranges of files; `nil` until the provider has replied. Leaf
    /// lock.
    private let knownAbilities = Lock<ProviderServesParts?>(nil)
    /// The reason why the provider is disconnected, so that requests fail; `nil` while it is connected.
    private let disconnection = Lock<String?>(nil)

    /// A notice that an extension sends to the engine without a request.
    package enum Notice: Sendable, Equatable {
        /// A container has changes.
        case changes(container: String)
        /// The provider reports that failures like this one no longer occur.
        case resolved(ProviderError)
        /// The progress of a file's upload.
        case progress(identifier: String, completed: Int64, total: Int64)
        /// The folder to which the user gave the domain access. Sent if the record of the domain does not identify the
        /// folder.
        case handed(HandedFolder)
    }

    /// Creates a provider. The extension's process starts with the first request.
    ///
    /// - Parameters:
    ///   - extensionIdentifier: The identifier of the installed extension.
    ///   - data: The path of Purvey's data directory for this user.
    ///   - kept: The paths of further directories to which a user cannot give a provider access.
    ///   - addCalls: A function that adds further requests that the extension may send to its host.
    ///   - notice: Called for each notice that the extension sends. Called on the connections' thread; must not block.
    package init(
        domain: ProviderDomain, extensionIdentifier: String, data: String, apartFrom kept: [String] = [],
        options: ProviderProcessOptions = .init(), coordination: ExtensionService.Coordination? = nil,
        addCalls: (inout Service) -> Void = { _ in }, onNotice notice: @escaping @Sendable (Notice) -> Void
    ) {
        var service = Service()
        service.on(ProviderSignalNotice.self) { signal, _ in
            guard signal.container.utf8.count <= ProviderItem.longestText else { return }
            notice(.changes(container: signal.container))
        }
        service.on(ProviderResolvedNotice.self) { resolved, _ in notice(.resolved(resolved.failure)) }
        service.on(ProviderProgressNotice.self) { progress, _ in
            guard progress.identifier.utf8.count <= ProviderItem.longestText else { return }
            notice(
                .progress(
                    identifier: progress.identifier, completed: Int64(progress.completed), total: Int64(progress.total))
            )
        }
        addCalls(&service)
        process = ProviderProcess(
            domain: domain, extensionIdentifier: extensionIdentifier, data: data, apartFrom: kept, options: options,
            coordination: coordination, service: service
        ) {
            notice(.changes(container: ProviderItem.workingSetIdentifier))
        } moved: {
            notice(.resolved(ProviderError(.transient, message: "The folder at the domain's path is another one.")))
        } handed: {
            notice(.handed($0))
        }
    }

    /// Creates a provider that forwards only the notices that a container has changes.
    ///
    /// - Parameter signal: Called with the identifier of the container, on the connections' thread; must not block.
    package convenience init(
        domain: ProviderDomain, extensionIdentifier: String, data: String, options: ProviderProcessOptions = .init(),
        coordination: ExtensionService.Coordination? = nil, onSignal signal: @escaping @Sendable (String) -> Void
    ) {
        self.init(
            domain: domain, extensionIdentifier: extensionIdentifier, data: data, options: options,
            coordination: coordination,
            onNotice: { notice in
                if case .changes(let container) = notice { signal(container) }
            })
    }

    /// The process identifier of the extension's process; `nil` while none is running.
    package var processID: Int32? { get async { await process.processID } }

    /// The error that requests get because the extension crashed too often and is no longer started; `nil` if it may be
    /// started.
    package var disabling: ProviderError? { get async { await process.disabling } }

    /// Allows an extension that crashed too often to start again.
    package func reset() async { await process.reset() }

    /// Whether the extension's process runs and does not answer within the given time.
    package func isSilent(for patience: Duration) async -> Bool { await process.isSilent(for: patience) }

    /// Ends the extension's process if it does not answer within the given time. The next request starts it again.
    package func endIfSilent(for patience: Duration) async { await process.endIfSilent(for: patience) }

    /// Makes the next request start the extension anew, in its presently installed version.
    package func renew() async {
        knownAbilities.withLock { $0 = nil }
        await process.renew()
    }

    /// Returns the abilities of the installed version of the provider. The provider is asked only once.
    func abilities() async throws(ProviderError) -> ProviderServesParts {
        if let known = knownAbilities.withLock({ $0 }) { return known }
        let answer = try await ask(ProviderServesPartsCall(), isSafe: true)
        knownAbilities.withLock { $0 = answer }
        return answer
    }

    /// Sets whether the provider's process is kept running while there are no requests, so that the provider can watch
    /// its service for changes. Has no effect if the provider does not watch its service.
    package func setWatching(_ isWatching: Bool) async { await process.setWatching(isWatching) }

    /// Connects or disconnects the provider. While it is disconnected, new requests fail, and running requests
    /// complete.
    ///
    /// - Parameter reason: The reason for the disconnection, as shown to the user; `nil` connects the provider.
    package func setDisconnected(because reason: String?) { disconnection.withLock { $0 = reason } }

    /// The reason why the provider is disconnected; `nil` while it is connected.
    package var disconnectionReason: String? { disconnection.withLock { $0 } }

    /// Throws if the provider is disconnected. Called before each request is sent.
    func checkConnected() throws(ProviderError) {
        guard let reason = disconnection.withLock({ $0 }) else { return }
        throw ProviderError(.serverUnreachable, message: "The domain is disconnected: \(reason)")
    }

    /// Ends the extension's process, and does not start it again.
    package func close() async { await process.close() }

    // MARK: Requests

    package func item(_ identifier: String) async throws(ProviderError) -> ProviderItem {
        let item = try await ask(ProviderItemCall(identifier: identifier), isSafe: true)
        return try Self.checked(item, identifier: identifier)
    }

    package func page(
        of container: String, after page: [UInt8]?, suggestedSize: Int
    ) async throws(ProviderError) -> ItemPage {
        let size = Self.size(suggestedSize)
        // Many providers do not expect a request for the trash. If the request crashes a provider, it is not repeated.
        let isSure = container != ProviderItem.trashIdentifier
        let answer = try await ask(
            ProviderPageCall(container: container, page: page, suggestedSize: size), isSafe: isSure, mayDie: !isSure)
        if let next = answer.next, next.count > ProviderWire.longestToken {
            throw .bad("a page of \(next.count) bytes")
        }
        try Self.check(count: answer.items.count, suggested: size)
        return ItemPage(items: Self.listable(answer.items), next: answer.next)
    }

    package func currentAnchor(of container: String) async throws(ProviderError) -> [UInt8]? {
        let anchor = try await ask(ProviderAnchorCall(container: container), isSafe: true).anchor
        // An anchor that is too long is ignored.
        guard let anchor, anchor.count <= ProviderWire.longestToken else { return nil }
        return anchor
    }

    package func changes(
        in container: String, since anchor: [UInt8], suggestedSize: Int
    ) async throws(ProviderError) -> ChangeBatch {
        let size = Self.size(suggestedSize)
        let answer = try await ask(
            ProviderChangesCall(container: container, anchor: anchor, suggestedSize: size), isSafe: true)
        guard answer.anchor.count <= ProviderWire.longestToken else {
            throw ProviderError(
                .expired, message: "the extension answered with an anchor of \(answer.anchor.count) bytes")
        }
        try Self.check(count: answer.updated.count + answer.deleted.count, suggested: size)
        let deleted = answer.deleted.filter { !$0.isEmpty && $0.utf8.count <= ProviderItem.longestText }
        return ChangeBatch(
            updated: answer.updated.filter { Self.isListable($0) || $0.identifier == ProviderItem.rootIdentifier },
            deleted: deleted, anchor: answer.anchor, moreComing: answer.moreComing)
    }

    package func signIn(password: String) async throws(ProviderError) {
        _ = try await ask(ProviderSignInCall(password: password), isSafe: true)
    }

    package func importDidFinish() async throws(ProviderError) {
        _ = try await ask(ProviderImportFinishedCall(), isSafe: true)
    }

    package func domainState() async throws(ProviderError) -> ProviderDomainState {
        try await ask(ProviderStateCall(), isSafe: true)
    }

    package func perform(
        _ action: String, on identifiers: [String], input: String?,
        progress: @escaping @Sendable (Int64, Int64) -> Void
    ) async throws(ProviderError) -> ProviderActionReply {
        // An action may take any time. It does not use a slot that the engine's requests need.
        try await ask(
            ProviderActionCall(action: action, identifiers: identifiers, input: input), isSafe: false, .transfer,
            isForProgram: true, progress: progress)
    }

    // MARK: Asking and checking

    /// Sends a request to the extension, and returns its reply.
    ///
    /// - Parameters:
    ///   - isSafe: Whether the request may be sent twice.
    ///   - isForProgram: Whether another process waits for the reply. Otherwise the engine waits.
    ///   - mayDie: Whether the process may end during the request without counting as crashed.
    ///   - own: The semaphore that limits concurrent requests; `nil` for the usual one for requests of this kind.
    func ask<C: ProviderCall>(
        _ request: C, isSafe: Bool, _ length: ProviderProcess.Length = .answer, isForProgram: Bool = false,
        mayDie: Bool = false, through own: AsyncSemaphore? = nil, progress: (@Sendable (Int64, Int64) -> Void)? = nil
    ) async throws(ProviderError) -> C.Value {
        try checkConnected()
        let semaphore = own ?? (isForProgram ? coordinated : length == .transfer ? transfers : requests)
        let answer = try await semaphore.withPermit { () async throws(ProviderError) -> C.Value in
            do throws(ProviderError) {
                return try await self.process.call(request, length, mayDie: mayDie, progress: progress)
            } catch  where isSafe && error.isWorthAnotherTry && !Task.isCancelled {
                return try await self.process.call(request, length, progress: progress)
            }
        }
        guard let answer else { throw ProviderError(.cancelled, message: "the request was cancelled") }
        return answer
    }

    /// Returns the suggested page size, limited to 1 to 5,000 items. A reply may have up to ``ProviderWire/pageFactor``
    /// times as many items.
    private static func size(_ suggested: Int) -> Int { min(max(1, suggested), 5000) }

    static func checked(_ item: ProviderItem, identifier: String) throws(ProviderError) -> ProviderItem {
        guard item.identifier.hasSameBytes(as: identifier) else {
            throw .bad("the item \(item.identifier) instead of \(identifier)")
        }
        return item
    }

    /// Validates the item in the reply to a change. The item may have a new identifier, because some providers use
    /// paths as identifiers.
    static func changed(_ item: ProviderItem, identifier: String) throws(ProviderError) -> ProviderItem {
        guard item.identifier.hasSameBytes(as: identifier) || isListable(item) else {
            throw .bad("the item \(item.identifier) to a change of \(identifier)")
        }
        return item
    }

    private static func check(count: Int, suggested: Int) throws(ProviderError) {
        guard count <= suggested * ProviderWire.pageFactor else {
            throw .bad("\(count) items at once where \(suggested) were suggested")
        }
    }

    /// Returns those of the given items that can be in a directory. If all can, as usual, the array is not copied.
    private static func listable(_ items: [ProviderItem]) -> [ProviderItem] {
        items.allSatisfy(isListable) ? items : items.filter(isListable)
    }

    /// Whether the given item can be in a directory. The root, the working set and the trash cannot be, nor can an item
    /// with an identifier that only this machine assigns.
    static func isListable(_ item: ProviderItem) -> Bool { isListable(item.identifier) }

    /// Whether an item with the given identifier can be in a directory.
    static func isListable(_ identifier: String) -> Bool {
        // Every excluded identifier begins with one of these letters.
        guard let first = identifier.utf8.first, first == UInt8(ascii: "N") || first == UInt8(ascii: "p") else {
            return true
        }
        return switch identifier {
        case ProviderItem.rootIdentifier, ProviderItem.workingSetIdentifier, ProviderItem.trashIdentifier: false
        default: !IndexedItem.isReserved(identifier)
        }
    }

    /// Reopens a file read-only, to hand it to an extension.
    static func readOnly(_ file: FileDescriptor) throws(ProviderError) -> FileDescriptor {
        do throws(Errno) {
            return try file.reopen([.readOnly, .nonBlocking])
        } catch {
            throw ProviderError(.transient, message: "a file for the extension cannot be opened: \(error)")
        }
    }
}

extension ProviderError {
    /// Creates the error for an unusable reply.
    ///
    /// - Parameter what: A description of the extension's reply, in words that can follow “the extension answered
    ///   with”.
    static func bad(_ what: String) -> ProviderError {
        ProviderError(.badAnswer, message: "the extension answered with \(what)")
    }

    /// Whether the failure is that the process ended before its reply, other than by a timeout.
    fileprivate var isWorthAnotherTry: Bool {
        kind == .processEnded && domain == ProviderProcess.failureDomain
            && code != ExtensionEnding.Reason.timedOut.rawValue
    }
}
