import Foundation
import HTTPTransport
import WebDAVClient

/// Cleans up exchanges that were interrupted because the process was killed or the connection broke.
extension DAVAccount {
    /// Returns a writer of changes in a folder.
    ///
    /// - Parameter temporary: the directory for contents that are fetched only to compare them.
    func writer(
        _ client: DAVClient, _ profile: DAVServerProfile, in folder: Int64, temporary: URL
    ) -> ServerWriter {
        ServerWriter(
            client: client, profile: profile, service: service, clock: clock, temporary: temporary, folder: folder,
            catalogue: catalogue, temporaryEntries: temporaryEntries, turns: exchangeTurns)
    }

    /// Removes the temporary files of the recorded exchanges, except those in progress. The next call retries an
    /// exchange that cannot be cleared.
    ///
    /// - Parameter folder: the folder of the exchanges; `nil` for all folders.
    func clearExchanges(
        in folder: Int64? = nil, _ priority: HTTPRequest.Priority = .interactive, temporary: URL
    ) async {
        guard let places = try? await catalogue.perform({ try $0.exchanges(in: folder) }) else { return }
        for place in places where await !exchangeTurns.isTaken(place) {
            _ = try? await clearExchange(place, priority, temporary: temporary)
        }
    }

    /// Removes the temporary files of the recorded exchanges in a folder that is about to be removed. Waits until the
    /// exchanges in progress have ended. Files that cannot be removed are ignored.
    func endExchanges(in folder: Int64, temporary: URL) async throws {
        for place in try await catalogue.perform({ try $0.exchanges(in: folder) }) {
            _ = try? await clearExchange(place, temporary: temporary)
        }
    }

    /// Removes the temporary files of a recorded exchange. If the exchange is in progress, waits until it has ended.
    ///
    /// - Returns: whether an exchange was recorded for this place.
    func clearExchange(
        _ place: ExchangePlace, _ priority: HTTPRequest.Priority = .interactive, temporary: URL
    ) async throws -> Bool {
        guard try await catalogue.perform({ try $0.exchange(place) }) != nil else { return false }
        guard let folder = try await known(place.folder) else {
            // The files were removed with their folder.
            try await catalogue.perform { try $0.end(exchange: place, token: nil) }
            return true
        }
        let (profile, address) = (profile, try folder.address.appending(place.name))
        try await ask(priority) { client throws(DAVError) in
            try await writer(client, profile, in: place.folder, temporary: temporary).clearExchange(at: address)
        }
        return true
    }
}
