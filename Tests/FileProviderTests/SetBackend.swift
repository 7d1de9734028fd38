import FileProvider
import Foundation

/// A daemon that serves item sets and transfers only: it has no domains, and ignores other requests.
protocol SetBackend: ManagerBackend {}

extension SetBackend {
    func domains(_ completion: @escaping @Sendable ([NSFileProviderDomain], (any Error)?) -> Void) {
        completion([], nil)
    }
    func add(_ domain: NSFileProviderDomain, _ completion: @escaping Completion) { completion(nil) }
    func remove(
        _ domain: NSFileProviderDomainIdentifier, mode: NSFileProviderManager.DomainRemovalMode,
        _ completion: @escaping @Sendable (URL?, (any Error)?) -> Void
    ) { completion(nil, nil) }
    func removeAll(_ completion: @escaping Completion) { completion(nil) }
    func signalEnumerator(
        _ container: NSFileProviderItemIdentifier, in domain: NSFileProviderDomainIdentifier?,
        _ completion: @escaping Completion
    ) { completion(nil) }
}
