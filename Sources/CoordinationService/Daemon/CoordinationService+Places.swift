import Conduit
import Dispatch
import FileCoordination
import LinuxSystem

extension CoordinationService {
    /// The maximum time until a process must reply with a claim's source location, or report that it is searching for
    /// it.
    private static let patience = DispatchTimeInterval.seconds(10)
    /// The additional time in which an unconfined process must reply after it has reported that it is searching for the
    /// source location. A confined process gets no additional time.
    private static let longestLook = DispatchTimeInterval.seconds(120)

    /// Asks the process that made a claim for the claim's source location, and replies to `call`. If the process is
    /// stopped or too busy to answer, the reply names only the process.
    func findPlace(_ claim: ClaimIdentifier, _ call: ServedCall<FindCallSiteCall>) {
        guard let connection = connection(of: claim, refusedTo: call.connection) else {
            return call.reply(.init(place: nil, process: nil, program: nil))
        }
        let bundle = confinedName(of: claim)
        let isLooking = Lock(false)
        let pending = connection.call(
            CallSiteCall(claim: claim.number), progress: { _, _ in isLooking.withLock { $0 = true } }
        ) { result in
            let place = (try? result.get())?.place
            // For the socket of a confined process, the kernel reports the daemon as the peer, because the daemon
            // created the socket. Therefore the reply names the bundle instead of the process.
            if let bundle {
                let place = place.map { "\($0) in \(bundle)" } ?? "a place in \(bundle) that it has not named"
                return call.reply(.init(place: place, process: nil, program: nil))
            }
            // Finding another process's executable reads files.
            HandlerThreads.shared.run {
                let path = (try? connection.peer.executable())?.path
                call.reply(
                    .init(
                        place: place, process: Int(connection.peer.credentials.processID),
                        program: path?.split(separator: "/").last.map(String.init)))
            }
        }
        // Cancelling has no effect if the process has replied.
        DispatchQueue.global().asyncAfter(deadline: .now() + Self.patience) {
            guard bundle == nil, isLooking.withLock({ $0 }) else { return pending.cancel() }
            DispatchQueue.global().asyncAfter(deadline: .now() + Self.longestLook) { pending.cancel() }
        }
    }
}
