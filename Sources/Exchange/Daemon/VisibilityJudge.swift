import Conduit
import ItemProvider
import LinuxSystem
import Synchronization

/// Decides which representations of items one process may see, as of now.
///
/// What needs looking up (the program that a process runs, the bundle it belongs to) is looked up when a
/// representation that is not for everybody comes by, and then once for each process: in one listing nobody changes.
struct VisibilityJudge {
    private let service: ExchangeService
    private let asker: ExchangePeer
    private var participants: [UInt64: Participant] = [:]

    init(_ service: ExchangeService, asker: ExchangePeer) {
        self.service = service
        self.asker = asker
    }

    /// The representations of an item that the asker may load, in order of fidelity.
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
        // The daemon serves one user only: everybody who is connected is that user.
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
    /// Runs a function that judges who may see these items: at once where everybody may, else on a thread of its own,
    /// because finding out which program a process runs asks file systems, and one of them may be slow to answer.
    func judging(_ entries: [BoardTable.Entry], _ body: @escaping @Sendable () -> Void) {
        let isForEverybody = entries.allSatisfy { entry in
            entry.manifest.representations.allSatisfy { $0.visibility == Visibility.all.rawValue }
        }
        if isForEverybody { body() } else { HandlerThreads.shared.run(body) }
    }

    /// A connected process with the team of the bundle that its program belongs to at this moment.
    func participant(_ peer: ExchangePeer) -> Participant {
        let executable = try? peer.connection.peer.executable().identity
        return Participant(
            identity: peer.identity, team: executable.flatMap { bundles.bundle(ofExecutable: $0)?.team })
    }
}
