import Conduit
import FileCoordination
import LinuxSystem
import OSLog

extension CoordinationService {
    /// Lets a confined process take part that is about to be started. Only coordination is served there, and the process is
    /// who the daemon knows that it has started.
    ///
    /// - Parameter patience: how long what the process was granted is kept for it when the daemon has closed its socket. A file
    ///   that it was handed is not kept from those who write it for more than twice as long, from when its turn has come.
    /// - Returns: the process's end of a socket. What it holds is free when nobody has that any more.
    package func admit(
        _ places: any ConfinedPlaces, patience: Duration = .seconds(30)
    ) throws(Errno) -> FileDescriptor {
        let view = ConfinedView(places, patience)
        var service = Service()
        service.on(CoordinateCall.self) { _, call in call.reply() }
        // Where other programs are in their sources is not told.
        service.on(FindPlaceCall.self) { _, call in call.reply(.init(place: nil, process: nil, program: nil)) }
        service.on(EventNotice.self) { [self] notice, connection in
            let client = number(of: connection, view)
            switch view.judge(notice.event, notice.handed) {
            case .event(let event):
                take(event, from: client, over: connection)
                if view.isToBeLookedAfter() { lookAfterReadings(of: view, client, connection) }
            case .granted(let claim):
                tell([.granted(claim: claim, paths: [], keys: [], hasWaited: true)], over: connection)
            case .refused(let claim, let reason): refuse(claim, reason, over: connection)
            case .ignored: break
            }
        }
        service.onFault(EventNotice.self, FaultyClaim.self) { [self] claim, error, connection in
            refuse(claim.number, "\(error)", over: connection)
        }
        let (ours, theirs) = try SequencedPacketSocket.pair()
        _ = try Connection(ours, service: service, limits: ConnectionLimits(unreadBytes: 256 << 10))
        return theirs.descriptor
    }

    /// The daemon has closed the socket of a confined process, which may live and use what it was granted; it cannot come back.
    func keep(_ client: UInt64, _ view: ConfinedView) {
        provided?.end(of: client, keepingUsed: true)
        guard host.suspend(client: client) else { return forget(client) }
        Self.log.error(
            "\(view.places.name, privacy: .public) has claimed files and does not listen; others may use them soon")
        Deadlines.shared.run(after: view.patience) { [weak self] in self?.forget(client) }
    }

    /// Ends claims that a confined process holds for too long of files that it was handed, for as long as it has any.
    private func lookAfterReadings(
        of view: ConfinedView, _ client: UInt64, _ connection: Connection
    ) {
        Deadlines.shared.run(after: view.patience) { [weak self, weak view, weak connection] in
            guard let self, let view, let connection, connection.closeReason == nil else { return }
            let (overdue, goesOn) = view.takeOverdueReadings()
            for claim in overdue {
                Self.log.error(
                    "\(view.places.name, privacy: .public) reads a file for too long; others may write it meanwhile")
                take(.cancel(claim: claim), from: client, over: connection)
            }
            if goesOn { lookAfterReadings(of: view, client, connection) }
        }
    }
}

extension CloseReason {
    /// Whether the other side had not closed its end when this side did.
    var isOfOurs: Bool {
        switch self {
        case .closedHere, .protocolViolation, .peerTooSlow: true
        case .closedByPeer, .system: false
        }
    }
}
