import Foundation
import LinuxSystem

/// Whom a manager asks: the daemon, over a program's or an extension's connection to it.
///
/// Completions may be called on any thread, at once too; the manager calls those of programs on threads of their own.
package protocol ManagerBackend: Sendable {
    typealias Completion = @Sendable ((any Error)?) -> Void

    /// What the provider's file coordinators take as their purpose.
    var providerIdentifier: String { get }
    /// The folder for the files of a provider that keeps them itself.
    func documentStorage() -> URL
    /// Has folders watched. Blocks.
    func folderWatcher() throws(Errno) -> any FolderWatcher
    /// A folder for files that are handed over, on the volume that they will be on.
    func temporaryFolder(of domain: NSFileProviderDomainIdentifier?) throws -> URL
    /// A folder for what a provider keeps of a domain for itself.
    func stateFolder(of domain: NSFileProviderDomainIdentifier?) throws -> URL

    // MARK: Domains
    func domains(_ completion: @escaping @Sendable ([NSFileProviderDomain], (any Error)?) -> Void)
    /// Of an identifier that is there already, its name and its properties are updated.
    func add(_ domain: NSFileProviderDomain, _ completion: @escaping Completion)
    /// - Parameter completion: called with the folder of what was preserved.
    func remove(
        _ domain: NSFileProviderDomainIdentifier, mode: NSFileProviderManager.DomainRemovalMode,
        _ completion: @escaping @Sendable (URL?, (any Error)?) -> Void)
    func removeAll(_ completion: @escaping Completion)
    /// - Parameter reason: for the person; `nil` connects it again.
    func setDisconnected(
        _ reason: String?, isTemporary: Bool, domain: NSFileProviderDomainIdentifier?,
        _ completion: @escaping Completion)

    // MARK: Signals
    func signalEnumerator(
        _ container: NSFileProviderItemIdentifier, in domain: NSFileProviderDomainIdentifier?,
        _ completion: @escaping Completion)
    func signalErrorResolved(
        _ failure: ProviderFailure, in domain: NSFileProviderDomainIdentifier?, _ completion: @escaping Completion)
    /// How far an upload is, in bytes.
    func noteUpload(
        of item: NSFileProviderItemIdentifier, sent: Int64, total: Int64, in domain: NSFileProviderDomainIdentifier?)

    // MARK: Items
    func userVisibleURL(
        of item: NSFileProviderItemIdentifier, in domain: NSFileProviderDomainIdentifier?,
        _ completion: @escaping @Sendable (URL?, (any Error)?) -> Void)
    func identifier(
        ofFileAt url: URL,
        _ completion:
            @escaping @Sendable (
                NSFileProviderItemIdentifier?, NSFileProviderDomainIdentifier?, (any Error)?
            ) -> Void)
    /// - Parameter range: in bytes; `nil` for all of it.
    func requestDownload(
        of item: NSFileProviderItemIdentifier, range: NSRange?, in domain: NSFileProviderDomainIdentifier?,
        _ completion: @escaping Completion)
    func evict(
        _ item: NSFileProviderItemIdentifier, in domain: NSFileProviderDomainIdentifier?,
        _ completion: @escaping Completion)
    func waitForChanges(
        below item: NSFileProviderItemIdentifier, in domain: NSFileProviderDomainIdentifier?,
        _ completion: @escaping Completion)
    func waitForStabilization(in domain: NSFileProviderDomainIdentifier?, _ completion: @escaping Completion)
    /// Has a provider be handed what was not changed.
    func requestModification(
        of fields: NSFileProviderItemFields, of item: NSFileProviderItemIdentifier,
        in domain: NSFileProviderDomainIdentifier?, _ completion: @escaping Completion)

    // MARK: Sets
    /// How much of all that is on its way has arrived.
    func transfers(
        isUpload: Bool, in domain: NSFileProviderDomainIdentifier?,
        _ completion: @escaping @Sendable (Result<TransferTotals, any Error>) -> Void)
    /// - Parameter position: as the page before has it; `nil` for the first one.
    func items(
        in set: ItemSet, of domain: NSFileProviderDomainIdentifier?, after position: Int64?, limit: Int,
        _ completion: @escaping @Sendable (Result<ItemSetPage, any Error>) -> Void)
}

/// What a backend answers to that it has no way to do: there is no provider, as far as it knows.
extension ManagerBackend {
    package var providerIdentifier: String { Self.nameOfProcess }
    static var nameOfProcess: String { Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName }
    package func documentStorage() -> URL { DocumentStorage.url }
    package func folderWatcher() throws(Errno) -> any FolderWatcher { try OwnFolderWatcher() }
    package func temporaryFolder(of domain: NSFileProviderDomainIdentifier?) throws -> URL {
        FileManager.default.temporaryDirectory
    }
    package func stateFolder(of domain: NSFileProviderDomainIdentifier?) throws -> URL {
        throw CocoaError(.featureUnsupported)
    }
    package func setDisconnected(
        _ reason: String?, isTemporary: Bool, domain: NSFileProviderDomainIdentifier?,
        _ completion: @escaping Completion
    ) { completion(NSFileProviderError(.providerNotFound)) }
    package func signalErrorResolved(
        _ failure: ProviderFailure, in domain: NSFileProviderDomainIdentifier?, _ completion: @escaping Completion
    ) { completion(NSFileProviderError(.providerNotFound)) }
    package func noteUpload(
        of item: NSFileProviderItemIdentifier, sent: Int64, total: Int64, in domain: NSFileProviderDomainIdentifier?
    ) {}
    package func userVisibleURL(
        of item: NSFileProviderItemIdentifier, in domain: NSFileProviderDomainIdentifier?,
        _ completion: @escaping @Sendable (URL?, (any Error)?) -> Void
    ) { completion(nil, NSFileProviderError(.providerNotFound)) }
    package func identifier(
        ofFileAt url: URL,
        _ completion:
            @escaping @Sendable (
                NSFileProviderItemIdentifier?, NSFileProviderDomainIdentifier?, (any Error)?
            ) -> Void
    ) { completion(nil, nil, CocoaError(.fileNoSuchFile)) }
    package func requestDownload(
        of item: NSFileProviderItemIdentifier, range: NSRange?, in domain: NSFileProviderDomainIdentifier?,
        _ completion: @escaping Completion
    ) { completion(NSFileProviderError(.providerNotFound)) }
    package func evict(
        _ item: NSFileProviderItemIdentifier, in domain: NSFileProviderDomainIdentifier?,
        _ completion: @escaping Completion
    ) { completion(NSFileProviderError(.providerNotFound)) }
    package func waitForChanges(
        below item: NSFileProviderItemIdentifier, in domain: NSFileProviderDomainIdentifier?,
        _ completion: @escaping Completion
    ) { completion(NSFileProviderError(.providerNotFound)) }
    package func waitForStabilization(
        in domain: NSFileProviderDomainIdentifier?, _ completion: @escaping Completion
    ) { completion(NSFileProviderError(.providerNotFound)) }
    package func requestModification(
        of fields: NSFileProviderItemFields, of item: NSFileProviderItemIdentifier,
        in domain: NSFileProviderDomainIdentifier?, _ completion: @escaping Completion
    ) { completion(NSFileProviderError(.providerNotFound)) }
    package func transfers(
        isUpload: Bool, in domain: NSFileProviderDomainIdentifier?,
        _ completion: @escaping @Sendable (Result<TransferTotals, any Error>) -> Void
    ) { completion(.failure(NSFileProviderError(.providerNotFound))) }
    package func items(
        in set: ItemSet, of domain: NSFileProviderDomainIdentifier?, after position: Int64?, limit: Int,
        _ completion: @escaping @Sendable (Result<ItemSetPage, any Error>) -> Void
    ) { completion(.failure(NSFileProviderError(.providerNotFound))) }
}
