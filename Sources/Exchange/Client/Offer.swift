import Foundation

/// An item that this process offers on a board. It is offered for as long as this object is referenced, or until it is
/// withdrawn.
///
/// Any thread may use it.
public final class Offer: Sendable {
    /// What the item is called among processes. It stays the same when the daemon is restarted.
    public let identifier: UUID
    private let client: ExchangeClient

    init(_ identifier: UUID, client: ExchangeClient) {
        self.identifier = identifier
        self.client = client
    }

    deinit {
        client.withdraw(identifier)
    }

    /// Takes the item from its board. Loads in flight go on to their end; new ones fail with `itemUnavailableError`.
    ///
    /// Returns when no other process can find the item any more.
    public func withdraw() async {
        await withCheckedContinuation { continuation in
            client.withdraw(identifier) { continuation.resume() }
        }
    }
}
