import Conduit
import Foundation
import ItemProvider
import LinuxSystem

/// The items that this process offers, by identifier.
final class OfferList: Sendable {
    struct Item: Sendable {
        let offer: HostedOffer
        let manifest: OfferManifest
        let board: String
        /// Whether the item is part of a pasteboard's contents.
        let isPasteboardItem: Bool
        /// Whether the daemon has accepted the item. When the daemon was restarted, only accepted items are offered
        /// again.
        var isAnnounced = false
    }

    // Leaf lock: nothing is called while it is held.
    private let items = Lock<[UUID: Item]>([:])

    var isEmpty: Bool { items.withLock { $0.isEmpty } }

    var hasPasteboardItems: Bool { items.withLock { $0.values.contains { $0.isPasteboardItem } } }

    subscript(identifier: UUID) -> Item? { items.withLock { $0[identifier] } }

    func add(_ item: Item) {
        items.withLock { $0[item.offer.identifier] = item }
    }

    func markAnnounced(_ identifiers: [UUID]) {
        items.withLock { items in
            for identifier in identifiers { items[identifier]?.isAnnounced = true }
        }
    }

    func remove(_ identifier: UUID) -> Item? {
        items.withLock { $0.removeValue(forKey: identifier) }
    }

    func endAll() {
        let all = items.withLock { items in
            defer { items = [:] }
            return items.values.map(\.offer)
        }
        for offer in all { offer.end() }
    }

    /// Serves the loads of one consumer over the socket that the daemon has sent.
    func accept(_ request: AcceptConsumerCall, _ call: ServedCall<AcceptConsumerCall>) {
        guard let item = self[request.identifier] else { return call.fail(.noSuchItem) }
        do {
            try item.offer.accept(request.socket, permitted: Set(request.permitted))
            call.reply()
        } catch {
            call.fail(.providerUnavailable("the consumer's socket cannot be used: \(error)"))
        }
    }

    /// Offers to a new daemon all items that the previous daemon had accepted.
    func offerAgain(over connection: Connection) {
        let known = items.withLock { $0.values.filter(\.isAnnounced) }
        for item in known where !item.isPasteboardItem {
            connection.call(OfferCall(board: item.board, manifest: item.manifest)) {
                self.offeredAgain([item.offer.identifier], $0)
            }
        }
        for (board, contents) in Dictionary(grouping: known.filter(\.isPasteboardItem), by: \.board) {
            let manifests = contents.sorted { $0.offer.order < $1.offer.order }.map(\.manifest)
            connection.call(ReplaceContentsCall(board: board, manifests: manifests, onlyIfUntouched: true)) {
                self.offeredAgain(manifests.map(\.identifier), $0)
            }
        }
    }

    private func offeredAgain(_ identifiers: [UUID], _ result: Result<ChangeCountReply, ConduitError>) {
        guard case .failure(.remote) = result else { return }
        // The new daemon refuses the items, so their offers end.
        for identifier in identifiers { remove(identifier)?.offer.end() }
    }
}

/// An item that this process offers on a board, until the item is withdrawn or this object is released.
///
/// Any thread may use this object.
public final class Offer: Sendable {
    /// The item's identifier among all processes. The identifier stays the same when the daemon is restarted.
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
