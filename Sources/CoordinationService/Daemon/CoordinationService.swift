import Conduit
import Dispatch
import FileCoordination
import Glibc
import LinuxSystem

/// The daemon's part in file coordination: one arbiter for the claims and presenters of all processes of the user.
///
/// A process is a connection. When that ends, whatever the process held is free at once. Processes decide themselves where
/// their paths lead; what they claim keeps others waiting and gives no access to anything.
///
/// A daemon that comes after one that was ended, or crashed, while files were claimed gives the processes that claimed them a
/// moment to say so, before it grants anything to others.
package final class CoordinationService: Sendable {
    private struct State {
        var numbers: [Connection: UInt64] = [:]
        var connections: [UInt64: Connection] = [:]
        var nextNumber: UInt64 = 1
        /// What waits for that moment to be over; `nil` when it is.
        var heldBack: [(client: UInt64, event: CoordinationEvent)]?
        var isMarked: Bool
        /// The claims of others that processes were refused something for. They may ask about these, and once.
        var refusals: [UInt64: Set<ClaimIdentifier>] = [:]
    }

    private final class Clients: Sendable {
        // Taken for moments, and never while the host's lock is held.
        let state: Lock<State>

        init(_ state: State) { self.state = Lock(state) }
    }

    private let clients: Clients
    private let host: ArbiterHost
    private let marker: String?
    /// How long the processes of a daemon that is gone have to come here.
    private static let graceMilliseconds = 1_000

    /// - Parameter marker: the path of an empty file that is there while files may be claimed, and stays if the daemon crashes.
    package init(marker: String? = nil) {
        self.marker = marker
        let hasPredecessor = marker.map { access($0, F_OK) == 0 } ?? false
        let clients = Clients(State(heldBack: hasPredecessor ? [] : nil, isMarked: hasPredecessor))
        self.clients = clients
        host = ArbiterHost { number, effects in
            // One that has ended or cannot be told sees its connection end, and with it goes what it held.
            guard let connection = clients.state.withLock({ $0.connections[number] }) else { return }
            for case .denied(_, .deadlock(let other, _)) in effects {
                guard let client = other.client else { continue }
                let claim = ClaimIdentifier(client: client, number: other.number)
                clients.state.withLock { _ = $0.refusals[number, default: []].insert(claim) }
            }
            do {
                try connection.notify(EffectsNotice(effects))
            } catch {
                connection.close()
            }
        }
        guard hasPredecessor else { return }
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(Self.graceMilliseconds)) { [weak self] in
            self?.goOn()
        }
    }

    /// How many claims there are, granted and waiting.
    package var claimCount: Int { host.claimCount }

    /// The daemon ends in good order: the next one need not wait for anybody if nothing is claimed.
    package func end() {
        if let marker, claimCount == 0 { unlink(marker) }
    }

    /// Adds what this service does to a daemon's table.
    package func addCalls(to service: inout Service) {
        service.on(CoordinateCall.self) { _, call in call.reply() }
        service.on(CountClaimsCall.self) { [self] _, call in call.reply(.init(count: claimCount)) }
        service.on(FindPlaceCall.self) { [self] request, call in
            findPlace(ClaimIdentifier(client: request.client, number: request.claim), call)
        }
        service.on(EventNotice.self) { [self] notice, connection in take(notice.event, from: number(of: connection)) }
    }

    private func take(_ event: CoordinationEvent, from client: UInt64) {
        if case .claim = event { mark() }
        let isHeldBack = clients.state.withLock { state in
            if state.heldBack == nil { return false }
            switch event {
            // What was so before is so at once.
            case .adopt, .present: return false
            default:
                state.heldBack?.append((client, event))
                return true
            }
        }
        if !isHeldBack { host.apply(event, from: client) }
    }

    private func goOn() {
        while true {
            let events = clients.state.withLock { state in
                let events = state.heldBack ?? []
                state.heldBack = events.isEmpty ? nil : []
                return events
            }
            if events.isEmpty { return }
            for (client, event) in events { host.apply(event, from: client) }
        }
    }

    private func mark() {
        let isNew = clients.state.withLock { state in
            defer { state.isMarked = true }
            return !state.isMarked
        }
        // Without it, a crash may let somebody in too early.
        if isNew, let marker { _ = try? FileDescriptor.open(marker, [.writeOnly, .create, .noFollow]) }
    }

    private func number(of connection: Connection) -> UInt64 {
        let (number, isNew) = clients.state.withLock { state -> (UInt64, Bool) in
            if let number = state.numbers[connection] { return (number, false) }
            let number = state.nextNumber
            state.nextNumber += 1
            state.numbers[connection] = number
            state.connections[number] = connection
            return (number, true)
        }
        if isNew { connection.onClose { [self] _ in ended(connection, number) } }
        return number
    }

    /// The process that made a claim, if that is why another one was refused something. Otherwise nobody's business.
    func connection(of claim: ClaimIdentifier, refusedTo asking: Connection) -> Connection? {
        clients.state.withLock { state in
            guard let number = state.numbers[asking], state.refusals[number]?.remove(claim) != nil else { return nil }
            return state.connections[claim.client]
        }
    }

    private func ended(_ connection: Connection, _ number: UInt64) {
        clients.state.withLock { state in
            state.numbers[connection] = nil
            state.connections[number] = nil
            state.refusals[number] = nil
            state.heldBack?.removeAll { $0.client == number }
        }
        host.end(client: number)
    }
}
