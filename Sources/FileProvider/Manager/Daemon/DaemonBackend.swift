import Conduit
import DomainMessages
import FileProviderWire
import Foundation
import LinuxSystem

/// The backend of a program's managers. It sends requests to the daemon, which finds the provider by the bundle that is
/// registered for the program.
struct DaemonBackend: EngineBackend {
    private let link: DaemonLink
    /// The provider's identity and document storage, which do not change while the process runs.
    private let place: ProviderIdentity

    init(_ link: DaemonLink) {
        self.link = link
        place = ProviderIdentity(link)
    }

    // MARK: Places

    var providerIdentifier: String { place.value?.identifier ?? Self.nameOfProcess }

    func documentStorage() -> URL {
        place.value.map { URL(fileURLWithPath: $0.storage, isDirectory: true) } ?? DocumentStorage.url
    }

    // MARK: Domains

    func domains(_ completion: @escaping @Sendable ([NSFileProviderDomain], (any Error)?) -> Void) {
        link.ask(ManagedDomainsCall()) { result in
            switch result {
            case .success(let value): completion(value.domains.map { NSFileProviderDomain($0) }, nil)
            case .failure(let failure): completion([], failure.error)
            }
        }
    }

    func add(_ domain: NSFileProviderDomain, _ completion: @escaping Completion) {
        do {
            perform(AddManagedDomainCall(domain: try ManagedDomain(domain)), of: domain.identifier, completion)
        } catch {
            completion(error)
        }
    }

    func importDomain(_ domain: NSFileProviderDomain, from folder: URL, _ completion: @escaping Completion) {
        guard folder.isFileURL else { return completion(CocoaError(.fileReadUnsupportedScheme)) }
        do {
            let request = ImportManagedDomainCall(
                domain: try ManagedDomain(domain), path: folder.standardizedFileURL.path)
            perform(request, of: domain.identifier, completion)
        } catch {
            completion(error)
        }
    }

    func remove(
        _ domain: NSFileProviderDomainIdentifier, mode: NSFileProviderManager.DomainRemovalMode,
        _ completion: @escaping @Sendable (URL?, (any Error)?) -> Void
    ) {
        // This mode is not supported, because a removal preserves only contents that the service does not have.
        guard mode != .preserveDownloadedUserData else { return completion(nil, CocoaError(.featureUnsupported)) }
        link.ask(RemoveManagedDomainsCall(identifier: domain.rawValue), attempts: 1) { result in
            switch result {
            case .success(let value):
                let folder = value.edits.map { URL(fileURLWithPath: $0, isDirectory: true) }
                completion(mode == .removeAll ? nil : folder, nil)
            case .failure(let failure): completion(nil, failure.error)
            }
        }
    }

    func removeAll(_ completion: @escaping Completion) {
        perform(RemoveManagedDomainsCall(identifier: nil), of: nil, completion)
    }

    func setDisconnected(
        _ reason: String?, isTemporary: Bool, domain: NSFileProviderDomainIdentifier?,
        _ completion: @escaping Completion
    ) {
        perform(
            ManagerDisconnectCall(domain: domain?.rawValue, reason: reason, isTemporary: isTemporary), of: domain,
            completion)
    }

    // MARK: Signals

    func signalEnumerator(
        _ container: NSFileProviderItemIdentifier, in domain: NSFileProviderDomainIdentifier?,
        _ completion: @escaping Completion
    ) {
        perform(ManagerSignalCall(domain: domain?.rawValue, container: container.rawValue), of: domain, completion)
    }

    func signalErrorResolved(
        _ failure: ProviderError, in domain: NSFileProviderDomainIdentifier?, _ completion: @escaping Completion
    ) {
        perform(ManagerResolvedCall(domain: domain?.rawValue, failure: failure), of: domain, completion)
    }

    // MARK: Items

    func userVisibleURL(
        of item: NSFileProviderItemIdentifier, in domain: NSFileProviderDomainIdentifier?,
        _ completion: @escaping @Sendable (URL?, (any Error)?) -> Void
    ) {
        link.ask(VisiblePathCall(domain: domain?.rawValue, item: item.rawValue)) { result in
            switch result {
            case .success(let value): completion(URL(fileURLWithPath: value.path, isDirectory: value.isFolder), nil)
            case .failure(let failure): completion(nil, failure.error)
            }
        }
    }

    func identifier(
        ofFileAt url: URL,
        _ completion:
            @escaping @Sendable (
                NSFileProviderItemIdentifier?, NSFileProviderDomainIdentifier?, (any Error)?
            ) -> Void
    ) {
        guard url.isFileURL else { return completion(nil, nil, CocoaError(.fileNoSuchFile)) }
        link.ask(VisibleItemCall(path: url.standardizedFileURL.path)) { result in
            switch result {
            case .success(let value):
                completion(
                    NSFileProviderItemIdentifier(value.item), NSFileProviderDomainIdentifier(rawValue: value.domain),
                    nil)
            case .failure(let failure):
                // Apple's documentation names this error for files that do not belong to the provider.
                completion(nil, nil, failure.kind == .noSuchItem ? CocoaError(.fileNoSuchFile) : failure.error)
            }
        }
    }

    func ask<C: ProviderCall>(
        _ request: C, of domain: NSFileProviderDomainIdentifier?,
        _ completion: @escaping @Sendable (Result<C.Value, any Error>) -> Void
    ) { link.ask(request) { result in completion(result.mapError { $0.error }) } }

    func watch(
        _ request: ManagerSetVersionCall, of domain: NSFileProviderDomainIdentifier?,
        _ completion: @escaping @Sendable (Result<ItemSetVersion, any Error>) -> Void
    ) {
        guard request.known != nil else { return ask(request, of: domain, completion) }
        link.askIfRunning(request) { result in completion(result.mapError { $0.error }) }
    }
}

/// The identity and document storage of a program's provider, requested from the daemon on first use. Reading the
/// value blocks.
private final class ProviderIdentity: Sendable {
    private let link: DaemonLink
    // Leaf lock.
    private let known = Lock<ManagerPlaceCall.Value?>(nil)

    init(_ link: DaemonLink) { self.link = link }

    /// The value; `nil` while no provider of the program is registered with the daemon.
    var value: ManagerPlaceCall.Value? {
        if let value = known.withLock({ $0 }) { return value }
        guard let value = try? link.wait(for: ManagerPlaceCall()) else { return nil }
        known.withLock { $0 = value }
        return value
    }
}
