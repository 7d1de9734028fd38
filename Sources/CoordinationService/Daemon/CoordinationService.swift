import Conduit
import Dispatch
import FileCoordination
import Glibc
import LinuxSystem
import OSLog

/// The daemon's part in file coordination: one arbiter for the claims and presenters of all processes of the user.
///
/// A process is a connection. When that ends because the process has, whatever the process held is free at once. One that
/// lives goes on using what it was granted, so that is kept for it until it has come back and said what it still has, or has
/// ended, or a time is over that is long for a connection to be made anew. Processes decide themselves where their paths lead;
/// what they claim keeps others waiting and gives no access to anything.
///
/// A daemon that comes after one that was ended, or crashed, while files were claimed gives the processes that claimed them a
/// moment to say so, before it grants anything to others.
package final class CoordinationService: Sendable {
    private struct State {
        var numbers: [Connection: UInt64] = [:]
        var connections: [UInt64: Connection] = [:]
        /// Of those that are confined.
        var views: [UInt64: ConfinedView] = [:]
        var nextNumber: UInt64 = 1
        /// What waits for that moment to be over; `nil` when it is.
        var heldBack: HeldBackEvents?
        var isMarked: Bool
        /// The claims of others that processes were refused something for. They may ask about these, and once.
        var refusals: [UInt64: Set<ClaimIdentifier>] = [:]
        /// Processes without a connection for which something is kept, by the numbers that they had.
        var absent: [UInt64: ProcessDescriptor] = [:]
        /// Processes that have told what an earlier connection of theirs was granted.
        var returned: [UInt64: pid_t] = [:]
    }

    private final class Clients: Sendable {
        // Taken for moments, and never while the host's lock is held.
        let state: Lock<State>

        init(_ state: State) { self.state = Lock(state) }
    }

    private let clients: Clients
    let host: ArbiterHost
    let provided: ProvidedClaims?
    private let unsent = UnsentEffects()
    private let absences = ProcessWatch()
    private let marker: String?
    /// About how many claims of others a process may ask, of those that it was refused something for.
    private static let refusalLimit = 1_000
    /// How long the processes of a daemon that is gone have to come here, however busy the machine is.
    private static let graceMilliseconds = 10_000
    /// How long a process that lives has to come back. One that holds a file and is not heard of for longer than that is logged.
    private static let longestAbsence = Duration.seconds(30)
    /// For so many connections of one process that have ended something is kept. One that comes back needs one.
    private static let mostAbsences = 8
    static let log = Logger(subsystem: "Purvey", category: "CoordinationService")

    /// - Parameters:
    ///   - marker: the path of an empty file that is there while files may be claimed, and stays if the daemon crashes.
    ///   - provided: files that are put to their places when they are claimed.
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

    /// How many claims there are, granted and waiting.
    package var claimCount: Int { host.claimCount }

    /// How many claims confined processes have made and not ended.
    package var confinedClaimCount: Int {
        clients.state.withLock { Array($0.views.values) }.reduce(0) { $0 + $1.claimCount }
    }

    /// The daemon ends in good order: the next one need not wait for anybody if nothing is claimed.
    package func end() {
        if let marker, claimCount == 0 { unlink(marker) }
    }

    /// Adds what this service does to a daemon's table.
    package func addCalls(to service: inout Service) {
        service.on(CoordinateCall.self) { [self] _, call in
            if number(of: call.connection) != nil { return call.reply() }
            call.fail(
                domain: "CoordinationService", code: 1,
                message: "a process coordinates over at most \(ClaimUsage.connectionLimit) connections")
        }
        service.on(CountClaimsCall.self) { [self] _, call in call.reply(.init(count: claimCount)) }
        service.on(FindPlaceCall.self) { [self] request, call in
            findPlace(ClaimIdentifier(client: request.client, number: request.claim), call)
        }
        service.on(EventNotice.self) { [self] notice, connection in
            // One that asked first has been told that there are too many.
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

    /// Tells a process something apart from the arbiter.
    func tell(_ effects: [CoordinationEffect], over connection: Connection) {
        Self.send(effects, to: connection) { _ in }
    }

    /// Tells a process what the arbiter says to it.
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
                // Those that nobody asks about are not kept for ever.
                if state.refusals[number]?.count == refusalLimit { state.refusals[number]?.removeFirst() }
                state.refusals[number, default: []].insert(claim)
            }
        }
        send(effects, to: connection) { unsent.giveUp($0, of: number) }
    }

    /// Sends effects, in several messages if one cannot hold them. One effect that no message holds is given back.
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
            // It comes back, and says what it has.
            connection.close()
        }
    }

    func take(_ event: CoordinationEvent, from client: UInt64, over connection: Connection) {
        if case .claim = event { mark() }
        let (isHeldBack, excess) = clients.state.withLock { state -> (Bool, HeldBackEvents.Excess?) in
            if state.heldBack == nil { return (false, nil) }
            switch event {
            // What was so before is so at once.
            case .adopt, .adoptedAll, .present: return (false, nil)
            default: return (true, state.heldBack?.append(event, from: client))
            }
        }
        switch excess {
        case .claim(let number, let denial)?:
            let view = clients.state.withLock { $0.views[client] }
            _ = view?.end(number)
            tell([.denied(claim: number, denial)], over: connection)
        // It comes back, and says what it has.
        case .other?: connection.close()
        case nil: break
        }
        if isHeldBack { return }
        pass(event, from: client)
        switch event {
        case .adopt(let request):
            // Granted twice for a moment, never not at all.
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
        // Without it, a crash may let somebody in too early.
        if isNew, let marker { _ = try? FileDescriptor.open(marker, [.writeOnly, .create, .noFollow]) }
    }

    /// The number of a process that is not confined, over one connection; `nil` if it has too many of them.
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

    /// The number of a confined process. It has one connection.
    ///
    /// - Parameter view: what it calls files.
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

    /// The process that made a claim, if that is why another one was refused something. Otherwise nobody's business.
    func connection(of claim: ClaimIdentifier, refusedTo asking: Connection) -> Connection? {
        clients.state.withLock { state in
            guard let number = state.numbers[asking], state.refusals[number]?.remove(claim) != nil else { return nil }
            return state.connections[claim.client]
        }
    }

    /// Whether a process has the connection that it said something over.
    func isConnected(_ client: UInt64) -> Bool { clients.state.withLock { $0.connections[client] != nil } }

    /// The folder that a confined process has to itself; `nil` for any other process.
    func containerOfConfined(_ client: UInt64) -> ExactPath? {
        clients.state.withLock { $0.views[client]?.container }
    }

    /// What others are told that a confined process is; `nil` for any other process.
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
            // It may have come back before this was known.
            if let process, !state.returned.values.contains(process.processID) { state.absent[number] = process }
            state.heldBack?.end(number, process)
            return (state.heldBack != nil, view)
        }
        if isHeldBack { return }
        if let view, reason.isOfOurs { return keep(number, view) }
        conclude(number, process)
    }

    /// A connection has ended, and all that came over it was dealt with.
    private func conclude(_ number: UInt64, _ process: ProcessDescriptor?) {
        provided?.end(of: number, keepingUsed: true)
        let isAbsent = clients.state.withLock { $0.absent[number] != nil }
        guard let process, isAbsent, host.suspend(client: number) else { return forget(number) }
        for former in formerNumbers(of: process).dropLast(Self.mostAbsences) { forget(former) }
        // A connection ends a moment before its process has ended.
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
        // A process may end as soon as it has written.
        provided.afterNotes(of: number) { [host] in host.end(client: number) }
    }

    /// The numbers that a process had over connections that have ended, and under which something is kept for it.
    private func formerNumbers(of process: ProcessDescriptor?) -> [UInt64] {
        guard let process else { return [] }
        // While its descriptor is held, a process that lives shares its number with no other.
        return clients.state.withLock { state in
            state.absent.isEmpty ? [] : state.absent.filter { $0.value.processID == process.processID }.keys.sorted()
        }
    }

    /// A process has said all that it was granted: nothing else is kept for it.
    private func hasReturned(_ client: UInt64, _ process: ProcessDescriptor?) {
        guard let process else { return }
        clients.state.withLock { $0.returned[client] = process.processID }
        for former in formerNumbers(of: process) { forget(former) }
    }
}

/// Effects that no message can hold, because items have been moved to where their paths are very long.
private final class UnsentEffects: Sendable {
    private struct Arbiters {
        weak var host: ArbiterHost?
    }

    private let arbiters = Lock(Arbiters())

    /// Whose effects they are. Not kept alive: it keeps this.
    var host: ArbiterHost? {
        get { arbiters.withLock { $0.host } }
        set { arbiters.withLock { $0.host = newValue } }
    }

    /// Goes on as if the process had been told and had let it be.
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
