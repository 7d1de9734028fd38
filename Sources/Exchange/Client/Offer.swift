import Foundation

/// An item that this process offers on a board, until it is withdrawn or this object is released.
///
/// Any thread may use it.
public final class Offer: Sendable {
    /// The item's identifier among all processes. It stays the same when the daemon is restarted.
    public let identifier: UUID
    private let client: ExchangeClient

    init(_ identifier: UUID, client: ExchangeClient) {
        self.identifier = identifier
        self.client = client
    }

    deinit {
        client.withdraw(identifier)
    }

    /// Withdraws the item from its board. Loads in progress continue; new loads fail with `itemUnavailableError`.
    ///
    /// Returns when no other process can find the item any more.
    public func withdraw() async {
        await withCheckedContinuation { continuation in
            client.withdraw(identifier) { continuation.resume() }
        }
    }
}
