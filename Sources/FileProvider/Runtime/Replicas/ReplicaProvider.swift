import AppExtension
import FileProviderWire
import Foundation
import FoundationAdditions
import ItemProvider
import ItemValues
import LinuxSystem
import Synchronization

/// The adapter for an ``NSFileProviderReplicatedExtension``, a provider whose files the system stores.
///
/// The engine has separate requests for renames, moves, the trash, tags and contents. For each of them, this class
/// requests the current item from the provider, and then modifies that item. Therefore the base version is current, and
/// a change whose reply was lost is not repeated.
///
/// Sendable because only provider code uses the object, and the protocol allows calls from any thread.
final class ReplicaProvider: ServedProvider, @unchecked Sendable {
    let replica: any NSFileProviderReplicatedExtension
    let domain: NSFileProviderDomain
    let temporary: String
    /// Whether the provider can fail an upload if the service has other contents than those that the change is based
    /// on.
    let failsOnConflict: Bool
    /// Whether the provider was invalidated. After that, it receives neither requests nor notices.
    let hasEnded = Atomic(false)

    init(
        _ replica: any NSFileProviderReplicatedExtension, _ domain: NSFileProviderDomain, temporary: String,
        failsOnConflict: Bool
    ) {
        self.replica = replica
        self.domain = domain
        self.temporary = temporary
        self.failsOnConflict = failsOnConflict
    }

    var object: any NSObjectProtocol { replica }

    var request: NSFileProviderRequest { ServedRequest(to: replica) }

    func end() {
        hasEnded.store(true, ordering: .relaxed)
        replica.invalidate()
    }

    // MARK: Items

    func item(_ identifier: String, _ engineRequest: EngineRequest) throws(ProviderError) -> ProviderItem {
        let result: Result<ProviderItem, ProviderError> = try ask(engineRequest) { done in
            replica.item(for: NSFileProviderItemIdentifier(identifier), request: request) { done(.of($0, $1)) }
        }
        do throws(ProviderError) {
            return try result.get().asReplicated
        } catch {
            if identifier == ProviderItem.rootIdentifier, let root = error.root(named: domain.displayName) {
                return root
            }
            throw error
        }
    }

    func enumerator(of container: String) throws -> any NSFileProviderEnumerator {
        try replica.enumerator(for: NSFileProviderItemIdentifier(container), request: request)
    }

    /// Calls an asynchronous function of the provider, and blocks until its completion handler is called. Reports the
    /// function's progress to the engine, and cancels the function when the request is over.
    ///
    /// - Parameter fetched: the identifier of the item whose contents the function fetches; `nil` if the function does
    ///   not fetch contents. If the function's progress does not count bytes, the progress of the download task that is
    ///   registered for this item is reported instead.
    func ask<Answer: Sendable>(
        _ engineRequest: EngineRequest, fetching fetched: String? = nil,
        _ start: (@escaping @Sendable (Answer) -> Void) -> Progress
    ) throws(ProviderError) -> Answer {
        let running = StoppableProgress()
        // Cancels the operation if the request ended before the operation. Does nothing after the operation has ended.
        defer { running.cancel() }
        let (item, domain) = (fetched.map { NSFileProviderItemIdentifier($0) }, self.domain.identifier)
        running.watchUnits(of: { item.flatMap { RegisteredTasks.shared.download(of: $0, in: domain) } }) {
            engineRequest.advance(completed: $0, total: $1)
        }
        return try engineRequest.wait { done in
            running.begin(
                start { answer in
                    running.end()
                    done(answer)
                })
        }
    }

    // MARK: Optional protocols

    func fetchThumbnails(
        for identifiers: [NSFileProviderItemIdentifier], requestedSize size: CGSize,
        perThumbnailCompletionHandler: @escaping @Sendable (NSFileProviderItemIdentifier, Data?, (any Error)?) -> Void,
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) -> Progress {
        guard let thumbnailing = replica as? any NSFileProviderThumbnailing else {
            completionHandler(CocoaError(.featureUnsupported))
            return Progress()
        }
        return thumbnailing.fetchThumbnails(
            for: identifiers, requestedSize: size, perThumbnailCompletionHandler: perThumbnailCompletionHandler,
            completionHandler: completionHandler)
    }

    func services(of identifier: String, _ engineRequest: EngineRequest) throws(ProviderError) -> ServiceSources {
        guard let servicing = replica as? any NSFileProviderServicing else { return ServiceSources(sources: []) }
        let result: Result<ServiceSources, ProviderError> = try ask(engineRequest) { done in
            servicing.supportedServiceSources(for: NSFileProviderItemIdentifier(identifier)) { sources, error in
                done(
                    error.map { .failure(ProviderError($0)) } ?? .success(ServiceSources(sources: sources ?? [])))
            }
        }
        return try result.get()
    }

    // MARK: Document storage, which a replicated provider does not have

    func stopProviding(_ identifier: String) {}

    func identifier(ofFileAt path: String) -> String? { nil }

    func start(_ request: ProviderStartCall, _ engineRequest: EngineRequest) throws(ProviderError) {
        throw ProviderError(.unsupported, message: "the provider keeps no files itself")
    }

    func noteChange(at path: String) {}
}

extension ProviderItem {
    /// The item, with the flag `trashed` if its parent is the trash. A replicated provider reports only the parent.
    var asReplicated: ProviderItem {
        guard parent == Self.trashIdentifier, !flags.contains(.trashed) else { return self }
        var item = self
        item.flags.insert(.trashed)
        return item
    }
}

/// A server for principal classes that are ``NSFileProviderReplicatedExtension``s. `NSExtensionMain()` finds this
/// server by its name.
final class ReplicaServer: PrincipalServer {
    static func serves(_ principal: AnyClass) -> Bool { principal is any NSFileProviderReplicatedExtension.Type }

    static func serve(
        _ principal: AnyClass, _ socket: FileDescriptor, for bundle: ExtensionBundle,
        ended: @escaping @Sendable () -> Void
    ) throws {
        guard let type = principal as? any NSFileProviderReplicatedExtension.Type else {
            throw ExtensionBundleError("the class \(bundle.principalClass) is not a file provider")
        }
        let principal = SendableType(type)
        let failsOnConflict = bundle.failsUploadsOnConflict
        let runtime = ProviderRuntime { request, connection throws(ProviderError) in
            guard let domain = request.replicatedDomain else {
                throw ProviderError(.unsupported, message: "a provider of this kind has no default domain")
            }
            request.install(on: connection, domain)
            let provider = ReplicaProvider(
                principal.type.init(domain: domain), domain, temporary: request.temporary,
                failsOnConflict: failsOnConflict)
            provider.followSets(NSFileProviderManager.backend)
            return provider
        }
        // The connection retains the runtime while it is open.
        try runtime.serve(socket, ended: ended)
    }
}
