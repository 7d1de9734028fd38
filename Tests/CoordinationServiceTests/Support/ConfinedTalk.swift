import Conduit
import CoordinationService
import FileCoordination
import LinuxSystem

/// A daemon's coordination with a process of the user and a confined one. Both are simulated, so that they can send
/// any message.
struct ConfinedTalk {
    /// The confined process has access to one file, which it may change, and to one package, which it may only read.
    struct Places: ConfinedPlaces {
        let name = "org.example.confined"
        let container = ConfinedTalk.container
        let scopes = "/data/scopes/s"

        func item(at path: String) -> PlacedItem? {
            if path == placed { return PlacedItem(path: path, realPath: "/home/u/a.txt", isWritable: true) }
            guard path.hasPrefix(readOnly) else { return nil }
            return PlacedItem(path: readOnly, realPath: "/home/u/b", isWritable: false)
        }
    }

    static let container = "/data/containers/c"
    /// The confined process's paths of `/home/u/a.txt`, which it may change, and `/home/u/b`, which it may read.
    static let placed = "/data/scopes/s/changing/1/a.txt"
    static let readOnly = "/data/scopes/s/reading/2/b"

    /// One of the two processes.
    final class Side: Sendable {
        let connection: Connection
        let effects: AsyncStream<CoordinationEffect>

        init(_ socket: SequencedPacketSocket) throws {
            let (stream, continuation) = AsyncStream.makeStream(of: CoordinationEffect.self)
            var hearing = Service()
            hearing.on(EffectsNotice.self) { notice, _ in for effect in notice.effects { continuation.yield(effect) } }
            effects = stream
            connection = try Connection(socket, service: hearing)
        }

        func say(_ event: CoordinationEvent) throws { try connection.notify(EventNotice(event)) }

        /// Claims one item.
        func claim(
            _ number: UInt64, _ path: String, key: String? = nil, _ traits: Access.Traits = .writes,
            handed: FileDescriptor? = nil
        ) throws {
            let access = Access(path: ExactPath(path), key: ExactPath(key ?? path), traits: traits)
            try say(
                .claim(
                    ClaimRequest(number: number, accesses: [access], purpose: "\(path) \(number)", handed: handed)))
        }

        func present(_ number: UInt64, _ path: String) throws {
            try say(.present(PresenterPlace(number: number, path: ExactPath(path), key: ExactPath(path))))
        }
    }

    let service: CoordinationService
    let user: Side
    let confined: Side
    /// Another descriptor of the confined process's socket.
    let socket: FileDescriptor

    static func run(
        _ service: CoordinationService = CoordinationService(), patience: Duration = .seconds(600),
        _ body: (ConfinedTalk) async throws -> Void
    ) async throws {
        var calls = Service()
        service.addCalls(to: &calls)
        let (near, far) = try SequencedPacketSocket.pair()
        let daemon = try Connection(far, service: calls)
        let user = try Side(near)
        let socket = try service.admit(Places(), patience: patience)
        let confined = try Side(try SequencedPacketSocket(checking: socket.duplicate()))
        defer { for connection in [daemon, user.connection, confined.connection] { connection.close() } }
        try await body(ConfinedTalk(service: service, user: user, confined: confined, socket: socket))
    }
}
