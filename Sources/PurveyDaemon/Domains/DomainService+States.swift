import Conduit
import DomainMessages
import FileProviderEngine
import LinuxSystem

/// Serves the calls of clients that show the states of items. The replies come from local state, without a request to a
/// provider.
extension DomainService {
    nonisolated func addStateCalls(to service: inout Service) {
        service.on(ItemStatesCall.self) { request, call in
            call.answer {
                guard request.places.count <= ItemStatesCall.mostPlaces else {
                    throw DomainError("more than \(ItemStatesCall.mostPlaces) places at once")
                }
                return .init(standings: try await self.knownItems().standings(of: request.places))
            }
        }
        service.on(FollowStatesCall.self) { request, call in
            call.answer { try await self.news(from: request.position, over: call.connection) }
        }
    }

    /// The duration for which state changes are collected into one reply, beginning with the first change.
    private static let gatheringTime: Duration = .milliseconds(100)

    private nonisolated func news(from position: UInt64, over connection: Connection) async throws
        -> FollowStatesCall.Reply
    {
        followers.add(connection)
        guard position > 0 else { return .init(position: states.position, areDomainsDifferent: true) }
        await states.wait(from: position)
        try await Task.sleep(for: Self.gatheringTime)
        let known = try await knownItems()
        guard let batch = states.entries(from: position) else {
            return .init(position: states.position, areDomainsDifferent: true, folders: known.rootPaths)
        }
        return try await known.news(of: batch)
    }

    /// Returns a lookup of the known items of all running domains.
    private func knownItems() async throws -> KnownItems {
        try await ready()
        return KnownItems(
            domains: places.compactMap { name, place in
                guard case .running(let record, let domain) = place else { return nil }
                let path = mountPath(of: name)
                return KnownItems.Domain(
                    name: name, domain: domain, path: mountedPath(of: record) ?? path, otherPath: path)
            })
    }
}

/// The clients that follow the states of items. If there are none, state changes are not recorded.
final class StateFollowers: Sendable {
    private let states: StateChangeLog
    // While this lock is held, only functions of `states` are called, whose lock is a leaf lock.
    private let connections = Lock<Set<Connection>>([])

    init(_ states: StateChangeLog) { self.states = states }

    /// Adds a client. It is removed when its connection ends.
    func add(_ connection: Connection) {
        let isNew = connections.withLock { connections in
            let isNew = connections.insert(connection).inserted
            if isNew { states.follow() }
            return isNew
        }
        if isNew { connection.onClose { _ in self.remove(connection) } }
    }

    private func remove(_ connection: Connection) {
        connections.withLock { if $0.remove(connection) != nil { states.unfollow() } }
    }
}
