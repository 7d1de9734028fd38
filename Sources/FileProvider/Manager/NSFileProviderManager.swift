import FileProviderWire
import Foundation
import FoundationAdditions
@_weakLinked import FoundationNetworking
import Synchronization

/// The interface to the system with which programs and their providers manage domains and signal changes.
///
/// Completion handlers are called on separate threads. Without a daemon, domains are stored in the process, and
/// functions that need a daemon fail with ``NSFileProviderError/providerNotFound``.
///
/// Sendable because its only stored property, the domain, is a constant.
///
/// Source: FileProvider, `NSFileProviderManager.h`.
open class NSFileProviderManager: NSObject, @unchecked Sendable {
    /// The domain; `nil` for the default domain.
    package let domain: NSFileProviderDomain?

    private static let defaultManager = NSFileProviderManager(of: nil)

    /// The manager of the provider's default domain. This domain exists even if no program adds it.
    open class var `default`: NSFileProviderManager { defaultManager }

    package init(of domain: NSFileProviderDomain?) {
        self.domain = domain
        super.init()
    }

    /// Creates the manager of a domain. Returns `nil` if the domain's identifier is invalid.
    public convenience init?(for domain: NSFileProviderDomain) {
        guard NSFileProviderDomain.isValid(domain.identifier) else { return nil }
        self.init(of: domain)
    }

    /// Creates the manager of a domain. Returns `nil` if the domain's identifier is invalid.
    public convenience init?(forDomain domain: NSFileProviderDomain) { self.init(for: domain) }

    // MARK: Signals

    /// Signals that a container has changes, so that the system enumerates them.
    open func signalEnumerator(
        for containerItemIdentifier: NSFileProviderItemIdentifier,
        completionHandler completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        Self.backend.signalEnumerator(containerItemIdentifier, in: domain?.identifier, Self.calling(completion))
    }
    /// Signals that a container has changes, so that the system enumerates them.
    open func signalEnumerator(for containerItemIdentifier: NSFileProviderItemIdentifier) async throws {
        try await Self.answer { signalEnumerator(for: containerItemIdentifier, completionHandler: $0) }
    }

    /// Signals that the cause of an error is resolved, for example after the user has signed in or the service is
    /// reachable again. The system then retries all failed requests of the domain, not only those that failed with
    /// `error`.
    open func signalErrorResolved(
        _ error: any Error, completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        Self.backend.signalErrorResolved(
            ProviderError(error), in: domain?.identifier, Self.calling(completionHandler))
    }
    /// Signals that the cause of an error is resolved. The system then retries all failed requests of the domain.
    open func signalErrorResolved(_ error: any Error) async throws {
        try await Self.answer { signalErrorResolved(error, completionHandler: $0) }
    }

    /// Associates a download or upload task with an item. The system shows an upload task's progress at any time, and a
    /// download task's progress while the system fetches the item's contents. Foundation counts the received bytes only
    /// of tasks whose session has a `URLSessionDownloadDelegate`.
    ///
    /// - Parameter task: a task that is not resumed yet. If the task was resumed or the item already has another task,
    ///   the error is `CocoaError.featureUnsupported`.
    open func register(
        _ task: URLSessionTask, forItemWithIdentifier identifier: NSFileProviderItemIdentifier,
        completionHandler completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        let isTaken = RegisteredTasks.shared.register(task, for: identifier, of: domain?.identifier)
        Self.calling(completion)(isTaken ? nil : CocoaError(.featureUnsupported))
    }
    /// Associates a download or upload task with an item. The system shows an upload task's progress at any time, and a
    /// download task's progress while the system fetches the item's contents. Foundation counts the received bytes only
    /// of tasks whose session has a `URLSessionDownloadDelegate`.
    open func register(
        _ task: URLSessionTask, forItemWithIdentifier identifier: NSFileProviderItemIdentifier
    ) async throws {
        try await Self.answer { register(task, forItemWithIdentifier: identifier, completionHandler: $0) }
    }

    /// Reports the progress of an item's upload, which the system shows. This function is for providers that do not
    /// upload with tasks of a `URLSession`. It may be called any number of times.
    ///
    /// Source: an addition.
    public final func reportUpload(
        ofItemWithIdentifier identifier: NSFileProviderItemIdentifier, bytesSent: Int64, of total: Int64
    ) {
        guard bytesSent >= 0, bytesSent <= total else { return }
        Self.backend.noteUpload(of: identifier, sent: bytesSent, total: total, in: domain?.identifier)
    }

    // MARK: Places

    /// The purpose identifier for the provider's file coordinators. A claim of a coordinator with this identifier waits
    /// neither for the provider nor for the provider's other claims.
    open var providerIdentifier: String { Self.backend.providerIdentifier }

    /// The directory for the files of a provider that stores them itself. Reading this property creates the directory
    /// with its parents.
    open var documentStorageURL: URL {
        let url = Self.backend.documentStorage()
        // If this fails, the next write into the directory reports it.
        try? FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        return url
    }

    /// Returns a directory for files that the provider passes to the system.
    open func temporaryDirectoryURL() throws -> URL { try Self.backend.temporaryFolder(of: domain?.identifier) }

    /// Returns a directory for the provider's own state of the domain. The directory is preserved across restarts, and
    /// removed with the domain.
    ///
    /// - Throws: `CocoaError.featureUnsupported` in all processes except those of the provider's extension.
    open func stateDirectoryURL() throws -> URL { try Self.backend.stateFolder(of: domain?.identifier) }

    /// Writes a placeholder with the metadata of a file that is not local. Creates the placeholder's directory if it
    /// does not exist.
    open class func writePlaceholder(at placeholderURL: URL, withMetadata metadata: any NSFileProviderItem) throws {
        try Placeholder.write(at: placeholderURL, metadata)
    }

    /// Returns the URL of a file's placeholder: a hidden file beside the file.
    open class func placeholderURL(for url: URL) -> URL { Placeholder.url(for: url) }

    /// Returns the URL at which the user sees the item with the given identifier.
    open func getUserVisibleURL(
        for itemIdentifier: NSFileProviderItemIdentifier,
        completionHandler: @escaping @Sendable (URL?, (any Error)?) -> Void
    ) {
        let first = OneShotHandler()
        Self.backend.userVisibleURL(of: itemIdentifier, in: domain?.identifier) { url, error in
            first.run { completionHandler(url, error) }
        }
    }
    /// Returns the URL at which the user sees the item with the given identifier.
    open func getUserVisibleURL(for itemIdentifier: NSFileProviderItemIdentifier) async throws -> URL {
        try await Self.answer { answer in
            getUserVisibleURL(for: itemIdentifier) { url, error in
                answer(url.map { .success($0) } ?? .failure(error ?? NSFileProviderError(.noSuchItem)))
            }
        }
    }

    /// Returns the identifiers of the item that the user sees at a URL, and of the item's domain.
    open class func getIdentifierForUserVisibleFile(
        at url: URL,
        completionHandler:
            @escaping @Sendable (
                NSFileProviderItemIdentifier?, NSFileProviderDomainIdentifier?, (any Error)?
            ) -> Void
    ) {
        let first = OneShotHandler()
        backend.identifier(ofFileAt: url) { item, domain, error in
            first.run { completionHandler(item, domain, error) }
        }
    }
    /// Returns the identifiers of the item that the user sees at a URL, and of the item's domain.
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

    // MARK: Progress

    /// Returns the progress of all uploads or downloads, in bytes.
    ///
    /// While the program retains the object, it is updated several times a second, or once a second if there are no
    /// transfers. Updates happen on the main queue, so the program must read the object on the main queue, too. If the
    /// program does not run its main queue, the object does not change. A transfer that begins and ends between two
    /// updates is not shown.
    ///
    /// - Parameter kind: `.uploading` or `.downloading`. Other kinds never have transfers.
    /// - Returns: a progress. While there are no transfers, it counts as finished: one of one unit is completed.
    open func globalProgress(for kind: Progress.FileOperationKind) -> Progress {
        GlobalProgress.make(for: kind, of: domain?.identifier, Self.backend)
    }
}

/// The backend of managers, and helpers for the two forms of each request: with a completion handler, and `async`.
extension NSFileProviderManager {
    /// The backend of a process without a daemon.
    package static let local = LocalDomains()

    /// The backend of a program that can connect to the daemon.
    private static let daemon: (any ManagerBackend)? = DaemonLink.shared.map { DaemonBackend($0) }

    // Leaf lock.
    private static let installed = Mutex<(any ManagerBackend)?>(nil)

    /// The backend of the managers within a task. With this value, each test has its own domains.
    @TaskLocal package static var backendOfTask: (any ManagerBackend)?

    /// The backend of the managers of this process.
    package static var backend: any ManagerBackend { backendOfTask ?? installed.withLock { $0 } ?? daemon ?? local }

    /// Sets the backend of the managers of this process; `nil` for the default.
    package static func install(_ backend: (any ManagerBackend)?) { installed.withLock { $0 = backend } }

    /// Returns a completion handler that calls a program's handler with the first reply only, on a thread that may
    /// block.
    static func calling(
        _ handler: @escaping @Sendable ((any Error)?) -> Void
    ) -> @Sendable ((any Error)?) -> Void {
        let first = OneShotHandler()
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
