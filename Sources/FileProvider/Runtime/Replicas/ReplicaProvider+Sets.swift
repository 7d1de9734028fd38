import FileProviderWire
import ItemValues
import Synchronization

/// The provider's item sets: the materialized items, and the items with pending changes.
extension ReplicaProvider {
    /// Reports changes of the sets of materialized and of pending items to the provider, until ``end()``.
    func followSets(_ backend: any ManagerBackend) {
        for set in [ItemSet.materialized, .pending] {
            SetWatches.shared.follow(set, of: domain.identifier, backend) { [weak self] done in
                // The process watches the set even after the provider has ended.
                guard let self, !self.hasEnded.load(ordering: .relaxed) else { return done() }
                let completion = FirstCall(done)
                switch set {
                case .materialized: self.replica.materializedItemsDidChange { completion() }
                case .pending: self.replica.pendingItemsDidChange { completion() }
                }
            }
        }
    }
}

extension ReplicaProvider {
    func importDidFinish(_ engineRequest: EngineRequest) throws(ProviderError) {
        let _: Bool = try engineRequest.wait { done in
            let completion = FirstCall { done(true) }
            replica.importDidFinish { completion() }
        }
    }
}

/// A completion handler for provider code, which may call it more than once. Only the first call has an effect.
private final class FirstCall: Sendable {
    private let isOver = Atomic(false)
    private let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }

    func callAsFunction() {
        if !isOver.exchange(true, ordering: .relaxed) { body() }
    }
}
