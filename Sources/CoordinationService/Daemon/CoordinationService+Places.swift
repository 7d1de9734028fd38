import Conduit
import Dispatch
import FileCoordination
import LinuxSystem

extension CoordinationService {
    /// How long a process has to say where it made a claim, or that it is looking.
    private static let patience = DispatchTimeInterval.seconds(10)
    /// How long it may look after that, unless it is confined.
    private static let longestLook = DispatchTimeInterval.seconds(120)

    /// Has the process that made a claim say where that was. One that does not, because it is stopped or busy, is named.
    func findPlace(_ claim: ClaimIdentifier, _ call: ServedCall<FindPlaceCall>) {
        guard let connection = connection(of: claim, refusedTo: call.connection) else {
            return call.reply(.init(place: nil, process: nil, program: nil))
        }
        let bundle = confinedName(of: claim)
        let isLooking = Lock(false)
        let pending = connection.call(
            PlaceCall(claim: claim.number), progress: { _, _ in isLooking.withLock { $0 = true } }
        ) { result in
            let place = (try? result.get())?.place
            // The kernel knows only who has made its socket.
            if let bundle {
                let place = place.map { "\($0) in \(bundle)" } ?? "a place in \(bundle) that it has not named"
                return call.reply(.init(place: place, process: nil, program: nil))
            }
            // Looking at another process's program reads files.
            HandlerThreads.shared.run {
                let path = (try? connection.peer.executable())?.path
                call.reply(
                    .init(
                        place: place, process: Int(connection.peer.credentials.processID),
                        program: path?.split(separator: "/").last.map(String.init)))
            }
        }
        // Does nothing if it has answered.
        DispatchQueue.global().asyncAfter(deadline: .now() + Self.patience) {
            guard bundle == nil, isLooking.withLock({ $0 }) else { return pending.cancel() }
            DispatchQueue.global().asyncAfter(deadline: .now() + Self.longestLook) { pending.cancel() }
        }
    }
}
