import Foundation
@_weakLinked import FoundationNetworking
import Synchronization

/// What a program and its provider tell the system: which domains there are, that something has changed.
///
/// Handlers are called on threads of their own. Without a daemon, domains are kept in the process, and what only the daemon can do
/// fails with ``NSFileProviderError/providerNotFound``.
///
/// Sendable because it holds a domain and nothing that changes.
///
/// Source: FileProvider, `NSFileProviderManager.h`.
open class NSFileProviderManager: NSObject, @unchecked Sendable {
    /// The domain; `nil` for the default one.
    package let domain: NSFileProviderDomain?

    private static let defaultManager = NSFileProviderManager(of: nil)

    /// The manager of the provider's default domain, which is there without being added.
    open class var `default`: NSFileProviderManager { defaultManager }

    package init(of domain: NSFileProviderDomain?) {
        self.domain = domain
        super.init()
    }

    /// The manager of a domain; `nil` for one whose identifier is none.
    public convenience init?(for domain: NSFileProviderDomain) {
        guard NSFileProviderDomain.isValid(domain.identifier) else { return nil }
        self.init(of: domain)
    }

    /// The manager of a domain; `nil` for one whose identifier is none.
    public convenience init?(forDomain domain: NSFileProviderDomain) { self.init(for: domain) }

    // MARK: Signals

    /// Has the system ask for what has changed in a container.
    open func signalEnumerator(
        for containerItemIdentifier: NSFileProviderItemIdentifier,
        completionHandler completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        Self.backend.signalEnumerator(containerItemIdentifier, in: domain?.identifier, Self.calling(completion))
    }
    /// Has the system ask for what has changed in a container.
    open func signalEnumerator(for containerItemIdentifier: NSFileProviderItemIdentifier) async throws {
        try await Self.answer { signalEnumerator(for: containerItemIdentifier, completionHandler: $0) }
    }

    /// Has the system try again what failed with an error: the person has signed in, the service is back.
    open func signalErrorResolved(
        _ error: any Error, completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        Self.backend.signalErrorResolved(
            ProviderFailure(error), in: domain?.identifier, Self.calling(completionHandler))
    }
    /// Has the system try again what failed with an error.
    open func signalErrorResolved(_ error: any Error) async throws {
        try await Self.answer { signalErrorResolved(error, completionHandler: $0) }
    }

    /// Has the progress of a download or upload be shown with an item.
    ///
    /// - Parameter task: not resumed yet; one at a time for an item.
    open func register(
        _ task: URLSessionTask, forItemWithIdentifier identifier: NSFileProviderItemIdentifier,
        completionHandler completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        let isTaken = RegisteredTasks.shared.register(task, for: identifier, of: domain?.identifier)
        Self.calling(completion)(isTaken ? nil : CocoaError(.featureUnsupported))
    }
    /// Has the progress of a download or upload be shown with an item.
    open func register(
        _ task: URLSessionTask, forItemWithIdentifier identifier: NSFileProviderItemIdentifier
    ) async throws {
        try await Self.answer { register(task, forItemWithIdentifier: identifier, completionHandler: $0) }
    }

    /// Has the progress of an upload be shown with an item: for providers whose uploads are no tasks of a `URLSession`. May be called
    /// as often as it likes.
    ///
    /// Source: an addition.
    public final func reportUpload(
        ofItemWithIdentifier identifier: NSFileProviderItemIdentifier, bytesSent: Int64, of total: Int64
    ) {
        guard bytesSent >= 0, bytesSent <= total else { return }
        Self.backend.noteUpload(of: identifier, sent: bytesSent, total: total, in: domain?.identifier)
    }

    // MARK: Places

    /// What the provider's file coordinators take as their purpose, so that they do not wait for the provider.
    open var providerIdentifier: String { Self.backend.providerIdentifier }

    /// Where a provider that keeps its files itself has them. Made when it is asked for, with what is above it.
    open var documentStorageURL: URL {
        let url = Self.backend.documentStorage()
        // A folder that cannot be made is found missing by whoever writes into it.
        try? FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        return url
    }

    /// A folder for files that are handed to the system.
    open func temporaryDirectoryURL() throws -> URL { try Self.backend.temporaryFolder(of: domain?.identifier) }

    /// A folder for what the provider has to know of the domain the next time that it is started. It goes with the domain.
    ///
    /// - Throws: `CocoaError.featureUnsupported` in any process but that of the provider's extension.
    open func stateDirectoryURL() throws -> URL { try Self.backend.stateFolder(of: domain?.identifier) }

    /// Writes what is known of a file that is not there. The folder is made if it is missing.
    open class func writePlaceholder(at placeholderURL: URL, withMetadata metadata: any NSFileProviderItem) throws {
        try Placeholder.write(at: placeholderURL, metadata)
    }

    /// Where the placeholder of a file is: a hidden neighbour of it.
    open class func placeholderURL(for url: URL) -> URL { Placeholder.url(for: url) }

    /// Where a person sees an item.
    open func getUserVisibleURL(
        for itemIdentifier: NSFileProviderItemIdentifier,
        completionHandler: @escaping @Sendable (URL?, (any Error)?) -> Void
    ) {
        let first = FirstAnswer()
        Self.backend.userVisibleURL(of: itemIdentifier, in: domain?.identifier) { url, error in
            first.run { completionHandler(url, error) }
        }
    }
    /// Where a person sees an item.
    open func getUserVisibleURL(for itemIdentifier: NSFileProviderItemIdentifier) async throws -> URL {
        try await Self.answer { answer in
            getUserVisibleURL(for: itemIdentifier) { url, error in
                answer(url.map { .success($0) } ?? .failure(error ?? NSFileProviderError(.noSuchItem)))
            }
        }
    }

    /// Which item a person sees at a place.
    open class func getIdentifierForUserVisibleFile(
        at url: URL,
        completionHandler:
            @escaping @Sendable (
                NSFileProviderItemIdentifier?, NSFileProviderDomainIdentifier?, (any Error)?
            ) -> Void
    ) {
        let first = FirstAnswer()
        backend.identifier(ofFileAt: url) { item, domain, error in
            first.run { completionHandler(item, domain, error) }
        }
    }
    /// Which item a person sees at a place.
    open class func identifierForUserVisibleFile(
        at url: URL
    ) async throws -> (NSFileProviderItemIdentifier, NSFileProviderDomainIdentifier) {
        try await answer { answer in
            getIdentifierForUserVisibleFile(at: url) { item, domain, error in
                if let item, let domain {
                    answer(.success((item, domain)))
                } else {
                    answer(.failure(error ?? CocoaError(.fileNoSuchFile)))
                }
            }
        }
    }

    // MARK: The rest, which files of their own extend

    /// What is on its way to the service, or from it, in all, in bytes.
    ///
    /// It is looked for as long as somebody has the object, some times a second, and changed on the main queue: whoever reads it is
    /// there too, and a program that does not serve its main queue sees no change. What arrives between two looks is not seen.
    ///
    /// - Parameter kind: `.uploading` or `.downloading`; of others nothing is ever on its way.
    /// - Returns: finished, one of one unit, while there is nothing to do.
    open func globalProgress(for kind: Progress.FileOperationKind) -> Progress {
        GlobalProgress.make(for: kind, of: domain?.identifier, Self.backend)
    }
}

/// The backend, and the two forms of a question to it.
extension NSFileProviderManager {
    /// The backend of a process without a daemon.
    package static let local = LocalDomains()

    /// The backend of a program that has a way to the daemon.
    private static let daemon: (any ManagerBackend)? = DaemonLink.shared.map { DaemonBackend($0) }

    // Innermost: nothing is called under it.
    private static let installed = Mutex<(any ManagerBackend)?>(nil)

    /// Whom the managers ask within a task: tests have domains of their own so.
    @TaskLocal package static var backendOfTask: (any ManagerBackend)?

    /// Whom the managers of this process ask.
    package static var backend: any ManagerBackend { backendOfTask ?? installed.withLock { $0 } ?? daemon ?? local }

    /// Has the managers of this process ask somebody; `nil` for nobody.
    package static func install(_ backend: (any ManagerBackend)?) { installed.withLock { $0 = backend } }

    /// Calls a program's handler with the first answer, on a thread that it may block.
    static func calling(
        _ handler: @escaping @Sendable ((any Error)?) -> Void
    ) -> @Sendable ((any Error)?) -> Void {
        let first = FirstAnswer()
        return { error in first.run { handler(error) } }
    }

    static func answer(_ ask: (@escaping @Sendable ((any Error)?) -> Void) -> Void) async throws {
        try await answer { (answer: @escaping @Sendable (Result<Void, any Error>) -> Void) in
            ask { error in answer(error.map { .failure($0) } ?? .success(())) }
        }
    }

    static func answer<Answer: Sendable>(
        _ ask: (@escaping @Sendable (Result<Answer, any Error>) -> Void) -> Void
    ) async throws -> Answer {
        try await withCheckedThrowingContinuation { continuation in
            let once = OnceContinuation(continuation)
            ask { once.resume($0) }
        }
    }
}
