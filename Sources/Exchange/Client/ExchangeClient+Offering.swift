import Conduit
import Foundation
import ItemProvider
import LinuxSystem

extension ExchangeClient {
    /// Offers an item on a board.
    ///
    /// - Parameters:
    ///   - loaded: Called after the reply to each load of the item, with whether the load succeeded.
    ///   - completion: Called once, with the offer or an error. The item is offered as long as the offer is referenced.
    package func offer(
        _ promise: ItemPromise, on board: String, loaded: @escaping @Sendable (Bool) -> Void = { _ in },
        completion: @escaping @Sendable (Result<Offer, ExchangeError>) -> Void
    ) {
        let item = makeItem(promise, board: board, isPasteboardItem: false, loaded: loaded)
        offers.add(item)
        announce([item], with: OfferCall(board: board, manifest: item.manifest)) { result in
            completion(result.map { _ in Offer(item.offer.identifier, client: self) })
        }
    }

    /// Replaces the contents of a board. The items stay until they are replaced, or until this process ends.
    ///
    /// - Parameters:
    ///   - amended: The change count of contents that this process has written earlier and now changes; `nil` for new
    ///     contents. If it is not `nil`, the board's change count stays the same. The daemon refuses the call if the
    ///     board has another change count.
    ///   - completion: Called once, with the items' identifiers and the board's change count.
    package func replaceContents(
        of board: String, with promises: [ItemPromise], amending amended: Int? = nil,
        completion: @escaping @Sendable (Result<(identifiers: [UUID], changeCount: Int), ExchangeError>) -> Void
    ) {
        let items = promises.map { makeItem($0, board: board, isPasteboardItem: true) }
        replaceContents(of: board, with: items, amending: amended) { result in
            completion(result.map { (items.map(\.offer.identifier), $0) })
        }
    }

    /// Replaces the contents of a board with the given items, which this process offers.
    func replaceContents(
        of board: String, with items: [OfferList.Item], amending amended: Int? = nil,
        completion: @escaping @Sendable (Result<Int, ExchangeError>) -> Void
    ) {
        for item in items { offers.add(item) }
        let request = ReplaceContentsCall(
            board: board, manifests: items.map(\.manifest), amending: amended.map { UInt64(clamping: $0) })
        announce(items, with: request) { result in completion(result.map { Int(clamping: $0) }) }
    }

    /// Withdraws an item. Loads in progress continue. From the call of the completion handler on, no process can start
    /// to load the item.
    package func withdraw(_ identifier: UUID, completion: @escaping @Sendable () -> Void = {}) {
        guard let item = offers.remove(identifier) else { return completion() }
        item.offer.end()
        offering.wait {
            self.callIfConnected(WithdrawCall(identifier: identifier)) {
                self.offering.signal()
                completion()
            }
        }
    }

    func makeItem(
        _ promise: ItemPromise, board: String, isPasteboardItem: Bool,
        loaded: @escaping @Sendable (Bool) -> Void = { _ in }
    ) -> OfferList.Item {
        let representations = Dictionary(
            uniqueKeysWithValues: promise.offered.enumerated().map { ($0.offset, $0.element) })
        let offer = HostedOffer(
            identifier: UUID(), representations: representations, preview: promise.previewImageHandler, loaded: loaded)
        return OfferList.Item(
            offer: offer, manifest: offer.manifest(name: promise.suggestedName), board: board,
            isPasteboardItem: isPasteboardItem)
    }

    /// Announces new items to the daemon. Repeats the request if the daemon ends before it replies. Calls the
    /// completion handler with the board's change count.
    private func announce<C: Call>(
        _ items: [OfferList.Item], with request: C,
        completion: @escaping @Sendable (Result<UInt64, ExchangeError>) -> Void
    ) where C.Reply == ChangeCountReply {
        let identifiers = items.map(\.offer.identifier)
        offering.wait {
            self.call(request, attempts: 3) { result in
                self.offering.signal()
                switch result {
                case .success(let reply):
                    self.offers.markAnnounced(identifiers)
                    completion(.success(reply.changeCount))
                case .failure(let error):
                    for identifier in identifiers { self.offers.remove(identifier)?.offer.end() }
                    completion(.failure(error))
                }
            }
        }
    }
}
