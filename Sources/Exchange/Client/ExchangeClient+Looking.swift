import Conduit
import Dispatch
import Foundation
import ItemProvider
import LinuxSystem

extension ExchangeClient {
    /// Fetches those items on a board that this process may see.
    package func items(
        on board: String, completion: @escaping @Sendable (Result<[RemoteItem], ExchangeError>) -> Void
    ) {
        page(of: board, after: 0, adding: [], completion: completion)
    }

    private func page(
        of board: String, after cursor: UInt64, adding items: [RemoteItem],
        completion: @escaping @Sendable (Result<[RemoteItem], ExchangeError>) -> Void
    ) {
        call(ListCall(board: board, cursor: cursor), attempts: 3) { result in
            switch result {
            case .success(let page):
                let generation = self.generation
                let items = items + page.manifests.map { self.item($0, listedIn: generation) }
                guard let next = page.next, next > cursor else { return completion(.success(items)) }
                self.page(of: board, after: next, adding: items, completion: completion)
            case .failure(let error):
                completion(.failure(error))
            }
        }
    }

    private func item(_ manifest: OfferManifest, listedIn generation: Int) -> RemoteItem {
        RemoteItem(manifest) { completion in
            self.open(manifest.identifier, listedIn: generation) { completion($0.mapError(\.loadError)) }
        }
    }

    /// Opens a connection to the process that offers the given item.
    ///
    /// - Parameter generation: The number of the connection to the daemon over which the item was listed. If the daemon
    ///   has just been restarted, the request is repeated for a few seconds, because the process that offers the item
    ///   may not have reconnected yet.
    func open(
        _ identifier: UUID, listedIn generation: Int,
        completion: @escaping @Sendable (Result<Connection, ExchangeError>) -> Void
    ) {
        call(OpenCall(identifier: identifier), attempts: 3) { result in
            switch result {
            case .success(let reply):
                do {
                    let socket = try SequencedPacketSocket(checking: reply.socket)
                    completion(.success(try Connection(socket)))
                } catch {
                    completion(.failure(.interrupted("the socket to the item's process cannot be used: \(error)")))
                }
            case .failure(.noSuchItem) where generation != self.generation && self.isFresh:
                DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(50)) {
                    self.open(identifier, listedIn: generation, completion: completion)
                }
            case .failure(let error):
                completion(.failure(error))
            }
        }
    }
}
