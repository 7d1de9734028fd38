import Conduit
import FileCoordination
import LinuxSystem
import OSLog

extension CoordinationService {
    /// Creates a socket over which a confined process that is about to be started can coordinate files. Only
    /// coordination is served on this socket. The daemon knows from the socket which process sends a message.
    ///
    /// - Parameter patience: The duration for which granted claims are retained after the daemon has closed the socket.
    ///   A granted claim blocks writers of a handed file for at most twice this time.
    /// - Returns: The end of a socket pair to pass to the process. The process's claims end when no process has this
    ///   end open any more.
    package func admit(
        _ places: any ConfinedPlaces, patience: Duration = .seconds(30)
    ) throws(Errno) -> FileDescriptor {
        let view = ConfinedView(places, patience)
        var service = Service()
        service.on(CoordinateCall.self) { _, call in call.reply() }
        // The source locations of other programs are not revealed.
        service.on(FindCallSiteCall.self) { _, call in call.reply(.init(place: nil, process: nil, program: nil)) }
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
        _ = try Connection(ours, service: service, limits: .ofConfinedCoordination, isPeerConfined: true)
        return theirs.descriptor
    }

    /// Retains the granted claims of a confined process for a limited time after the daemon closed the process's
    /// socket, because the process may be alive and still use the claimed files. The process cannot reconnect.
    func keep(_ client: UInt64, _ view: ConfinedView) {
        provided?.end(of: client, keepingUsed: true)
        guard host.suspend(client: client) else { return forget(client) }
        Self.log.error(
            "\(view.places.name, privacy: .public) has claimed files and does not listen; others may use them soon")
        Deadlines.shared.run(after: view.patience) { [weak self] in self?.forget(client) }
    }

    /// Periodically cancels claims of handed files that a confined process holds for too long. Stops when the process
    /// has no claims of handed files.
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

extension ConnectionLimits {
    /// The limits of a connection to a confined process. The coordination library in the process observes the same
    /// limits, so the daemon disconnects only a process that bypasses the library.
    fileprivate static let ofConfinedCoordination: ConnectionLimits = {
        var limits = ConnectionLimits(
            callsInFlight: 256, servedBytes: 1 << 20, servedDescriptors: 64, unreadBytes: 256 << 10,
            unclosedDescriptors: 256)
        limits.receivedMessageSize = ClaimLimits.messageBytes
        return limits
    }()
}

extension CloseReason {
    /// Whether this side, and not the other side, closed the connection.
    var isOfOurs: Bool {
        switch self {
        case .closedHere, .protocolViolation, .peerTooSlow: true
        case .closedByPeer, .system: false
        }
    }
}
