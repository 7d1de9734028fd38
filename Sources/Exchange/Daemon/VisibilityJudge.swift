import Conduit
import ItemProvider
import LinuxSystem
import Synchronization

/// Decides which representations one process may see at present.
///
/// The program of a process, and the program's bundle, are looked up only for representations that are not visible to
/// all processes. They are looked up once per process, because they do not change within one listing.
struct VisibilityJudge {
    private let service: ExchangeService
    private let asker: ExchangePeer
    private var participants: [UInt64: Participant] = [:]

    init(_ service: ExchangeService, asker: ExchangePeer) {
        self.service = service
        self.asker = asker
    }

    /// Returns the representations of an item that the asking process may load, in order of fidelity.
    mutating func visible(_ entry: BoardTable.Entry) -> [RepresentationManifest] {
        var visible: [RepresentationManifest] = []
        for representation in entry.manifest.representations where permits(representation, of: entry) {
            visible.append(representation)
        }
        return visible
    }

    private mutating func permits(_ representation: RepresentationManifest, of entry: BoardTable.Entry) -> Bool {
        switch Visibility(rawValue: representation.visibility) {
        case nil: return false
        // The daemon serves one user only, so every client is that user's.
        case .all: return true
        case let visibility?:
            guard let provider = provider(of: entry) else { return false }
            return visibility.permits(participant(asker), to: provider)
        }
    }

    private mutating func provider(of entry: BoardTable.Entry) -> Participant? {
        if entry.owner == ExchangeService.daemon {
            return service.state.withLock { $0.holdings.provider(of: entry.manifest.identifier) }
        }
        return service.state.withLock { $0.clients[entry.owner] }.map { participant($0) }
    }

    private mutating func participant(_ peer: ExchangePeer) -> Participant {
        if let known = participants[peer.number] { return known }
        let participant = service.participant(peer)
        participants[peer.number] = participant
        return participant
    }
}

extension ExchangeService {
    /// Runs a function that decides on the visibility of the given items. If all of them are visible to all processes,
    /// the function runs at once. Otherwise, it runs on another thread, because finding the program of a process may
    /// block on a slow file system.
    func judging(_ entries: [BoardTable.Entry], _ body: @escaping @Sendable () -> Void) {
        let isForEverybody = entries.allSatisfy { entry in
            entry.manifest.representations.allSatisfy { $0.visibility == Visibility.all.rawValue }
        }
        if isForEverybody { body() } else { HandlerThreads.shared.run(body) }
    }

    /// Returns the participant for a client. Its team is the one that the bundle of the client's program declares at
    /// present.
    func participant(_ peer: ExchangePeer) -> Participant {
        let executable = try? peer.connection.peer.executable().identity
        return Participant(
            identity: peer.identity, team: executable.flatMap { bundles.bundle(ofExecutable: $0)?.team })
    }
}
