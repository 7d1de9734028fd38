import FileProviderWire
import Foundation
import Synchronization

/// The backend of managers in a process without a daemon. It stores domains in memory, and sends signals to listeners
/// in the same process. It exists for tests of providers.
package final class LocalDomains: ManagerBackend {
    package typealias Listener =
        @Sendable (NSFileProviderItemIdentifier, NSFileProviderDomainIdentifier?) -> Void

    private struct State {
        var domains: [NSFileProviderDomain] = []
        var listeners: [UInt64: Listener] = [:]
        var next: UInt64 = 0
    }
    // Leaf lock: listeners are called after it is released.
    private let state = Mutex(State())

    package init() {}

    /// Adds a listener for signals. Returns the listener's identifier for ``removeListener(_:)``.
    package func addListener(_ listener: @escaping Listener) -> UInt64 {
        state.withLock { state in
            state.next += 1
            state.listeners[state.next] = listener
            return state.next
        }
    }

    package func removeListener(_ number: UInt64) {
        state.withLock { _ = $0.listeners.removeValue(forKey: number) }
    }

    package func domains(_ completion: @escaping @Sendable ([NSFileProviderDomain], (any Error)?) -> Void) {
        completion(state.withLock { $0.domains }, nil)
    }

    package func add(_ domain: NSFileProviderDomain, _ completion: @escaping Completion) {
        state.withLock { state in
            if let place = state.domains.firstIndex(where: { $0.identifier == domain.identifier }) {
                state.domains[place] = domain
            } else {
                state.domains.append(domain)
            }
        }
        completion(nil)
    }

    package func remove(
        _ domain: NSFileProviderDomainIdentifier, mode: NSFileProviderManager.DomainRemovalMode,
        _ completion: @escaping @Sendable (URL?, (any Error)?) -> Void
    ) {
        let wasThere = state.withLock { state in
            let count = state.domains.count
            state.domains.removeAll { $0.identifier == domain }
            return state.domains.count < count
        }
        completion(nil, wasThere ? nil : NSFileProviderError(.providerDomainNotFound))
    }

    package func removeAll(_ completion: @escaping Completion) {
        state.withLock { $0.domains.removeAll() }
        completion(nil)
    }

    package func signalEnumerator(
        _ container: NSFileProviderItemIdentifier, in domain: NSFileProviderDomainIdentifier?,
        _ completion: @escaping Completion
    ) {
        for listener in state.withLock({ Array($0.listeners.values) }) { listener(container, domain) }
        completion(nil)
    }

    /// Does nothing, because in this backend no requests wait for an error to be resolved.
    package func signalErrorResolved(
        _ failure: ProviderError, in domain: NSFileProviderDomainIdentifier?, _ completion: @escaping Completion
    ) { completion(nil) }
}
