import Synchronization

/// The sets of the provider's items: what is on this machine, and what waits to be sent.
extension ReplicaProvider {
    /// Has the provider told of changes in them, for as long as its process runs.
    func followSets(_ backend: any ManagerBackend) {
        for set in [ItemSet.materialized, .pending] {
            SetWatches.shared.follow(set, of: domain.identifier, backend) { [weak self] done in
                // Others in this process follow the set as well.
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

/// A function that client code is to call once, and may call again.
private final class FirstCall: Sendable {
    private let isOver = Atomic(false)
    private let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }

    func callAsFunction() {
        if !isOver.exchange(true, ordering: .relaxed) { body() }
    }
}
