import Conduit
import FileCoordination
import LinuxSystem

extension CoordinationService {
    /// Lets a confined process take part that is about to be started. Only coordination is served there, and the process is
    /// who the daemon knows that it has started.
    ///
    /// - Returns: the process's end of a socket. What it holds is free when nobody has that any more.
    package func admit(_ places: any ConfinedPlaces) throws(Errno) -> FileDescriptor {
        let view = ConfinedView(places)
        var service = Service()
        service.on(CoordinateCall.self) { _, call in call.reply() }
        // Where other programs are in their sources is not told.
        service.on(FindPlaceCall.self) { _, call in call.reply(.init(place: nil, process: nil, program: nil)) }
        service.on(EventNotice.self) { [self] notice, connection in
            let client = number(of: connection, view)
            switch view.judge(notice.event) {
            case .event(let event): take(event, from: client, over: connection)
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
}
