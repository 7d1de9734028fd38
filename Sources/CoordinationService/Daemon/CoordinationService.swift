import Conduit
import Dispatch
import FileCoordination
import Glibc
import LinuxSystem
import OSLog

/// The daemon's part in file coordination: one arbiter for the claims and presenters of all processes of the user.
///
/// Each connection is a client. If a connection closes because its process has ended, all claims of the process end at
/// once. If the process is alive, it continues to use the files that it was granted. Therefore its granted claims are
/// retained until it has reconnected and reported them, has ended, or has been absent for `longestAbsence`. Processes
/// resolve the paths of their claims themselves. This is safe because a claim only makes other processes wait, and
/// grants no access to a file.
///
/// If the previous daemon crashed or was killed while files were claimed, the next daemon begins with a grace period.
/// In this time, clients of the previous daemon report their claims, and no other claims are granted.
package final class CoordinationService: Sendable {
    private struct State {
        var numbers: [Connection: UInt64] = [:]
        var connections: [UInt64: Connection] = [:]
        /// The path translations of confined clients.
        var views: [UInt64: ConfinedView] = [:]
        var nextNumber: UInt64 = 1
        /// The events that are held back during the grace period; `nil` after the grace period.
        var heldBack: HeldBackEvents?
        var isMarked: Bool
        /// For each client, the claims of other clients that caused a denial of one of its claims. The client may
        /// request the source location of each of these claims once.
        var refusals: [UInt64: Set<ClaimIdentifier>] = [:]
        /// The processes that have closed a connection and retain claims, by the client number of that connection.
        var absent: [UInt64: ProcessDescriptor] = [:]
        /// The processes that have reported all claims that they were granted over earlier connections, by current
        /// client number.
        var returned: [UInt64: ProcessDescriptor] = [:]
    }

    private final class Clients: Sendable {
        // This lock is held only briefly, and is never acquired while the host's lock is held.
        let state: Lock<State>

        init(_ state: State) { self.state = Lock(state) }
    }

    private let clients: Clients
    let host: ArbiterHost
    let provided: ProvidedClaims?
    private let unsent = UnsentEffects()
    private let absences = ProcessWatch()
    private let marker: String?
    /// The maximum number of claims in `refusals` for one client.
    private static let refusalLimit = 1_000
    /// The duration of the grace period in milliseconds. It is long enough for the clients of a former daemon to
    /// reconnect, even on a busy machine.
    private static let graceMilliseconds = 10_000
    /// The maximum time until a process that is alive must have reconnected. If a process stays absent for longer, its
    /// claims end, and this is logged.
    private static let longestAbsence = Duration.seconds(30)
    /// The maximum number of closed connections of one process that may retain claims. A process that reconnects
    /// usually has one.
    private static let mostAbsences = 8
    static let log = Logger(subsystem: "Purvey", category: "CoordinationService")

    /// Creates the service, and begins the grace period if the marker exists.
    ///
    /// - Parameters:
    ///   - marker: The path of the marker, an empty file that exists while files may be claimed. If the daemon crashes,
    ///     the file remains.
    ///   - provided: The files that file providers put in place on demand when these files are claimed.
    package init(marker: String? = nil, provided files: (any ProvidedFiles)? = nil) {
        self.marker = marker
        provided = files.map { ProvidedClaims($0) }
        let hasPredecessor = marker.map { access($0, F_OK) == 0 } ?? false
        let clients = Clients(State(heldBack: hasPredecessor ? HeldBackEvents() : nil, isMarked: hasPredecessor))
        self.clients = clients
        let (unsent, provided) = (unsent, provided)
        host = ArbiterHost { number, effects in
            for case .denied(let claim, _) in effects { provided?.end(claim, of: number) }
            Self.deliver(effects, to: number, of: clients, unsent)
        }
        unsent.host = host
        guard hasPredecessor else { return }
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(Self.graceMilliseconds)) { [weak self] in
            self?.goOn()
        }
    }

    /// The number of granted and waiting claims.
    package var claimCount: Int { host.claimCount }

    /// The number of claims of confined processes that were passed to the arbiter and have not ended.
    package var confinedClaimCount: Int {
        clients.state.withLock { Array($0.views.values) }.reduce(0) { $0 + $1.claimCount }
    }

    /// Removes the marker if no file is claimed, so that the next daemon needs no grace period. Called when the daemon
    /// exits normally.
    package func end() {
        if let marker, claimCount == 0 { unlink(marker) }
    }

    /// Adds the handlers of this service's calls and notices.
    package func addCalls(to service: inout Service) {
        service.on(CoordinateCall.self) { [self] _, call in
            if number(of: call.connection) != nil { return call.reply() }
            call.fail(
                domain: "CoordinationService", code: 1,
                message: "a process coordinates over at most \(ClaimUsage.connectionLimit) connections")
        }
        service.on(CountClaimsCall.self) { [self] _, call in call.reply(.init(count: claimCount)) }
        service.on(FindCallSiteCall.self) { [self] request, call in
            findPlace(ClaimIdentifier(client: request.client, number: request.claim), call)
        }
        service.on(EventNotice.self) { [self] notice, connection in
            // The process has too many connections. A client of the library does not get this far, because its
            // `CoordinateCall` was refused.
            guard let number = number(of: connection) else { return connection.close() }
            take(notice.event, from: number, over: connection)
        }
        service.onFault(EventNotice.self, FaultyClaim.self) { [self] claim, error, connection in
            refuse(claim.number, "\(error)", over: connection)
        }
    }

    func refuse(_ claim: UInt64, _ reason: String, over connection: Connection) {
        tell([.denied(claim: claim, .refused(reason: reason))], over: connection)
    }

    /// Sends a client effects that do not come from the arbiter.
    func tell(_ effects: [CoordinationEffect], over connection: Connection) {
        Self.send(effects, to: connection) { _ in }
    }

    /// Sends the arbiter's effects to a client.
    func deliver(_ effects: [CoordinationEffect], to number: UInt64) {
        Self.deliver(effects, to: number, of: clients, unsent)
    }

    private static func deliver(
        _ effects: [CoordinationEffect], to number: UInt64, of clients: Clients, _ unsent: UnsentEffects
    ) {
        let (known, view) = clients.state.withLock { ($0.connections[number], $0.views[number]) }
        guard let connection = known else { return }
        if let view {
            return send(view.translate(effects), to: connection) { unsent.giveUp($0, of: number) }
        }
        for case .denied(_, .deadlock(let other, _)) in effects {
            guard let client = other.client else { continue }
            let claim = ClaimIdentifier(client: client, number: other.number)
            clients.state.withLock { state in
                // Bounds the number of refusals that the client never asks about.
                if state.refusals[number]?.count == refusalLimit { state.refusals[number]?.removeFirst() }
                state.refusals[number, default: []].insert(claim)
            }
        }
        send(effects, to: connection) { unsent.giveUp($0, of: number) }
    }

    /// Sends effects. If they do not fit into one message, splits them into several messages. If a single effect does
    /// not fit into a message, passes it to `giveUp`.
    private static func send(
        _ effects: [CoordinationEffect], to connection: Connection, orElse giveUp: (CoordinationEffect) -> Void
    ) {
        guard !effects.isEmpty else { return }
        do {
            try connection.notify(EffectsNotice(effects))
        } catch .oversized {
            guard effects.count > 1 else { return effects.forEach(giveUp) }
            let half = effects.count / 2
            send(Array(effects[..<half]), to: connection, orElse: giveUp)
            send(Array(effects[half...]), to: connection, orElse: giveUp)
        } catch {
            // The client reconnects and reports its claims.
            connection.close()
        }
    }

    func take(_ event: CoordinationEvent, from client: UInt64, over connection: Connection) {
        if case .claim = event { mark() }
        let (isHeldBack, excess) = clients.state.withLock { state -> (Bool, HeldBackEvents.Excess?) in
            if state.heldBack == nil { return (false, nil) }
            switch event {
            // These events report the client's existing state. They take effect at once, even during the grace period.
            case .adopt, .adoptedAll, .present: return (false, nil)
            default: return (true, state.heldBack?.append(event, from: client))
            }
        }
        switch excess {
        case .claim(let number, let denial)?:
            let view = clients.state.withLock { $0.views[client] }
            _ = view?.end(number)
            tell([.denied(claim: number, denial)], over: connection)
        // The client reconnects and reports its claims.
        case .other?: connection.close()
        case nil: break
        }
        if isHeldBack { return }
        pass(event, from: client)
        switch event {
        case .adopt(let request):
            // The former connection's claim is cancelled only after the adoption, so that the file is claimed at every
            // moment.
            for former in formerNumbers(of: connection.peer.process) {
                host.apply(.cancel(claim: request.number), from: former)
            }
        case .adoptedAll: hasReturned(client, connection.peer.process)
        default: break
        }
    }

    private func goOn() {
        while true {
            let items = clients.state.withLock { state in
                let items = state.heldBack?.takeAll() ?? []
                if items.isEmpty { state.heldBack = nil }
                return items
            }
            if items.isEmpty { return }
            for item in items {
                switch item {
                case .event(let event, let client): pass(event, from: client)
                case .end(let client, let process): conclude(client, process)
                }
            }
        }
    }

    private func mark() {
        let isNew = clients.state.withLock { state in
            defer { state.isMarked = true }
            return !state.isMarked
        }
        // If the marker cannot be created, the next daemon may grant claims too early after a crash.
        if isNew, let marker { _ = try? FileDescriptor.open(marker, [.writeOnly, .create, .noFollow]) }
    }

    /// Returns the client number of the given connection, which belongs to an unconfined process. Assigns a number on
    /// the first call. Returns `nil` if the process has too many connections.
    func number(of connection: Connection) -> UInt64? {
        let (number, isNew) = assignNumber(to: connection, nil)
        if isNew, let process = connection.peer.process,
            !host.begin(client: number, of: UInt64(process.processID))
        {
            clients.state.withLock { state in
                state.numbers[connection] = nil
                state.connections[number] = nil
            }
            return nil
        }
        if isNew { connection.onClose { [self] in ended(connection, number, $0) } }
        return number
    }

    /// Returns the client number of a confined process, which has only this connection. Assigns a number on the first
    /// call.
    ///
    /// - Parameter view: The translation of the process's paths.
    func number(of connection: Connection, _ view: ConfinedView) -> UInt64 {
        let (number, isNew) = assignNumber(to: connection, view)
        if isNew {
            host.confine(number, to: view.container, and: view.groups)
            connection.onClose { [self] in ended(connection, number, $0) }
        }
        return number
    }

    private func assignNumber(to connection: Connection, _ view: ConfinedView?) -> (UInt64, isNew: Bool) {
        clients.state.withLock { state in
            if let number = state.numbers[connection] { return (number, false) }
            let number = state.nextNumber
            state.nextNumber += 1
            state.numbers[connection] = number
            state.connections[number] = connection
            state.views[number] = view
            return (number, true)
        }
    }

    /// Returns the connection of the client that made the given claim. Returns `nil` if that client has disconnected,
    /// or if its claim did not cause a denial of a claim of the asking client. Each denial permits one call of this
    /// function.
    func connection(of claim: ClaimIdentifier, refusedTo asking: Connection) -> Connection? {
        clients.state.withLock { state in
            guard let number = state.numbers[asking], state.refusals[number]?.remove(claim) != nil else { return nil }
            return state.connections[claim.client]
        }
    }

    /// Whether the client's connection is still open.
    func isConnected(_ client: UInt64) -> Bool { clients.state.withLock { $0.connections[client] != nil } }

    /// Returns the container's path if the client is a confined process; `nil` for any other client.
    func containerOfConfined(_ client: UInt64) -> ExactPath? {
        clients.state.withLock { $0.views[client]?.container }
    }

    /// Returns the name by which the claim's client is described to other processes if the client is confined; `nil`
    /// for any other client.
    func confinedName(of claim: ClaimIdentifier) -> String? {
        clients.state.withLock { $0.views[claim.client]?.places.name }
    }

    private func ended(_ connection: Connection, _ number: UInt64, _ reason: CloseReason) {
        let process = connection.peer.process
        let (isHeldBack, view) = clients.state.withLock { state in
            let view = state.views[number]
            state.numbers[connection] = nil
            state.connections[number] = nil
            state.views[number] = nil
            state.refusals[number] = nil
            state.returned[number] = nil
            // The process may have reconnected before this close was handled.
            if let process, !state.returned.values.contains(where: { Self.isSame($0, process) }) {
                state.absent[number] = process
            }
            state.heldBack?.end(number, process)
            return (state.heldBack != nil, view)
        }
        if isHeldBack { return }
        if let view, reason.isOfOurs { return keep(number, view) }
        conclude(number, process)
    }

    /// Handles the end of a client's connection, after all events from the connection have been handled.
    private func conclude(_ number: UInt64, _ process: ProcessDescriptor?) {
        provided?.end(of: number, keepingUsed: true)
        let isAbsent = clients.state.withLock { $0.absent[number] != nil }
        guard let process, isAbsent, host.suspend(client: number) else { return forget(number) }
        for former in formerNumbers(of: process).dropLast(Self.mostAbsences) { forget(former) }
        // A connection closes a moment before its process ends. Therefore the end of the process is awaited.
        absences.watch(process, for: Self.longestAbsence, as: number) { [self] hasEnded in
            let isThere = clients.state.withLock { $0.absent[number] == nil }
            if isThere { return }
            if !hasEnded {
                Self.log.error(
                    "process \(process.processID, privacy: .public) has claimed files and does not answer; others may use them"
                )
            }
            forget(number)
        }
    }

    func forget(_ number: UInt64) {
        clients.state.withLock { $0.absent[number] = nil }
        absences.stopWatching(number)
        guard let provided else { return host.end(client: number) }
        provided.end(of: number)
        // A process may end right after it has written a file. Its claims last until the providers have been notified.
        provided.afterReports(of: number) { [host] in host.end(client: number) }
    }

    /// Returns the client numbers of a process's closed connections that retain claims.
    private func formerNumbers(of process: ProcessDescriptor?) -> [UInt64] {
        guard let process else { return [] }
        return clients.state.withLock { state in
            state.absent.isEmpty ? [] : state.absent.filter { Self.isSame($0.value, process) }.keys.sorted()
        }
    }

    /// Whether two descriptors refer to the same process. Equal process IDs do not prove this: after a process has
    /// ended, another process may get its ID, even while a descriptor of the ended process is open.
    private static func isSame(_ former: ProcessDescriptor, _ process: ProcessDescriptor) -> Bool {
        former.processID == process.processID && !former.hasEnded
    }

    /// Drops the claims of a process's former connections, because the process has reported all claims that it still
    /// holds.
    private func hasReturned(_ client: UInt64, _ process: ProcessDescriptor?) {
        guard let process else { return }
        clients.state.withLock { $0.returned[client] = process }
        for former in formerNumbers(of: process) { forget(former) }
    }
}

/// Handles effects that do not fit into a message, because items were moved to very long paths.
private final class UnsentEffects: Sendable {
    private struct Arbiters {
        weak var host: ArbiterHost?
    }

    private let arbiters = Lock(Arbiters())

    /// The host of the arbiter that causes the effects. The reference is weak, because the host retains this object.
    var host: ArbiterHost? {
        get { arbiters.withLock { $0.host } }
        set { arbiters.withLock { $0.host = newValue } }
    }

    /// Refuses a claim whose grant cannot be sent. If a request to a presenter cannot be sent, continues as if the
    /// presenter had made its preparations. Drops other effects.
    func giveUp(_ effect: CoordinationEffect, of client: UInt64) {
        switch effect {
        case .granted(let claim, _, _, _):
            host?.refuse(claim, of: client, "its items have moved to paths that are too long")
        case .prepare(let preparation):
            host?.apply(.answer(preparation: preparation.number, failure: nil), from: client)
        default: break
        }
    }
}
