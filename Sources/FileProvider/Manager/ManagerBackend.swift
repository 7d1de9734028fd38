import DomainMessages
import FileProviderWire
import Foundation
import ItemValues
import LinuxSystem

/// A receiver of a manager's requests. Most backends send them to the daemon, over the connection of a program or an
/// extension.
///
/// Completion handlers may be called on any thread, even before the function returns. The manager calls the handlers of
/// programs on separate threads.
package protocol ManagerBackend: Sendable {
    typealias Completion = @Sendable ((any Error)?) -> Void

    /// The purpose identifier for the provider's file coordinators.
    var providerIdentifier: String { get }
    /// Returns the directory for the files of a provider that stores them itself.
    func documentStorage() -> URL
    /// Returns a watcher of directories. In an extension, blocks until the host replies.
    func folderWatcher() throws(Errno) -> any FolderWatcher
    /// Returns a directory for files that the provider passes to the system. The directory is on the same volume as the
    /// one to which the system moves the files.
    func temporaryFolder(of domain: NSFileProviderDomainIdentifier?) throws -> URL
    /// Returns a directory for the provider's own state of a domain.
    func stateFolder(of domain: NSFileProviderDomainIdentifier?) throws -> URL

    // MARK: Domains
    func domains(_ completion: @escaping @Sendable ([NSFileProviderDomain], (any Error)?) -> Void)
    /// Adds a domain. If a domain with its identifier exists, updates that domain's name and properties.
    func add(_ domain: NSFileProviderDomain, _ completion: @escaping Completion)
    /// Adds a domain, and imports the files of a directory into it.
    func importDomain(_ domain: NSFileProviderDomain, from folder: URL, _ completion: @escaping Completion)
    /// Removes a domain.
    ///
    /// - Parameter completion: called with the directory of the preserved files.
    func remove(
        _ domain: NSFileProviderDomainIdentifier, mode: NSFileProviderManager.DomainRemovalMode,
        _ completion: @escaping @Sendable (URL?, (any Error)?) -> Void)
    func removeAll(_ completion: @escaping Completion)
    /// Disconnects a domain, or connects it again.
    ///
    /// - Parameter reason: the reason that the user sees; `nil` connects the domain again.
    func setDisconnected(
        _ reason: String?, isTemporary: Bool, domain: NSFileProviderDomainIdentifier?,
        _ completion: @escaping Completion)

    // MARK: Signals
    func signalEnumerator(
        _ container: NSFileProviderItemIdentifier, in domain: NSFileProviderDomainIdentifier?,
        _ completion: @escaping Completion)
    func signalErrorResolved(
        _ failure: ProviderError, in domain: NSFileProviderDomainIdentifier?, _ completion: @escaping Completion)
    /// Reports the progress of an upload in bytes.
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
    /// Materializes an item.
    ///
    /// - Parameter range: the requested byte range; `nil` for the whole file. A backend may materialize the whole file
    ///   in any case.
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
    /// Imports an item and everything in it again. The completion handler is called when the import has begun.
    func reimport(
        below item: NSFileProviderItemIdentifier, in domain: NSFileProviderDomainIdentifier?,
        _ completion: @escaping Completion)
    /// Sends unchanged fields of an item to its provider again.
    func requestModification(
        of fields: NSFileProviderItemFields, of item: NSFileProviderItemIdentifier,
        in domain: NSFileProviderDomainIdentifier?, _ completion: @escaping Completion)

    // MARK: Sets
    /// Waits until the version of an item set differs from a known version. This wait does not start a daemon.
    ///
    /// - Parameter known: the version that the caller knows; `nil` to return the version at once, which starts a daemon
    ///   if none runs.
    func version(
        of set: ItemSet, in domain: NSFileProviderDomainIdentifier?, known: UInt64?,
        _ completion: @escaping @Sendable (Result<UInt64, any Error>) -> Void)
    /// Returns the progress of all uploads or of all downloads.
    func transfers(
        isUpload: Bool, in domain: NSFileProviderDomainIdentifier?,
        _ completion: @escaping @Sendable (Result<TransferTotals, any Error>) -> Void)
    /// Returns one page of an item set.
    ///
    /// - Parameter position: the position from the previous page; `nil` for the first page.
    func items(
        in set: ItemSet, of domain: NSFileProviderDomainIdentifier?, after position: Int64?, limit: Int,
        _ completion: @escaping @Sendable (Result<ItemSetPage, any Error>) -> Void)
}

/// Defaults for a backend that does not support all requests. Most of them fail as if no provider existed.
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
    package func importDomain(
        _ domain: NSFileProviderDomain, from folder: URL, _ completion: @escaping Completion
    ) { completion(CocoaError(.featureUnsupported)) }
    package func setDisconnected(
        _ reason: String?, isTemporary: Bool, domain: NSFileProviderDomainIdentifier?,
        _ completion: @escaping Completion
    ) { completion(NSFileProviderError(.providerNotFound)) }
    package func signalErrorResolved(
        _ failure: ProviderError, in domain: NSFileProviderDomainIdentifier?, _ completion: @escaping Completion
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
    package func reimport(
        below item: NSFileProviderItemIdentifier, in domain: NSFileProviderDomainIdentifier?,
        _ completion: @escaping Completion
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
    package func version(
        of set: ItemSet, in domain: NSFileProviderDomainIdentifier?, known: UInt64?,
        _ completion: @escaping @Sendable (Result<UInt64, any Error>) -> Void
    ) { completion(.failure(NSFileProviderError(.providerNotFound))) }
}
