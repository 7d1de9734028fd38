import CRuntimeSupport
import Foundation
import LinuxSystem
import OSLog

/// The state of file coordination in this process: its claims, its presenters, and the connected authority.
///
/// The authority is the daemon, if the program is linked with the client of the coordination service and the daemon can
/// be reached. Otherwise it is an arbiter in the process. If the connection to the authority is lost, another authority
/// replaces it. The new one receives all granted and waiting claims and all presenters.
package final class ProcessCoordination: Sendable {
    enum Link {
        case none
        case connecting(Latch)
        case connected(any CoordinationAuthority, isLocal: Bool)
    }

    /// The state of a preparation: unanswered, or relinquished with the closure to call when the presenter may use the
    /// item again.
    enum Reacquisition {
        case unanswered
        case relinquished(@Sendable () -> Void, PresenterMessenger)
    }

    struct State {
        var link = Link.none
        /// The identifier of the current authority, which increases with each new authority. Effects from earlier
        /// authorities are ignored.
        var epoch: UInt64 = 0
        var wasLostMeanwhile = false
        var nextNumber: UInt64 = 1
        var claims: [UInt64: ClaimTicket] = [:]
        var presenters: [UInt64: RegisteredPresenter] = [:]
        var presenterNumbers: [ObjectIdentifier: UInt64] = [:]
        var reacquisitions: [UInt64: Reacquisition] = [:]
        /// The events to be sent to the authority, in order.
        var outgoing: [CoordinationEvent] = []
        var isSending = false
        var lastFailure: ContinuousClock.Instant?
        var isTryingAgain = false
        /// Whether the presenters' URLs are being polled.
        var isWatchingPlaces = false
    }

    // Leaf lock: the authority, presenters and handlers are called after it is released.
    let state = Lock(State())
    private let shared: (any SharedCoordination)?
    private let pause: Duration
    /// The minimum time between attempts to connect to the daemon, for a process that has presenters and makes no
    /// claims. Such a process needs a connection less urgently.
    var presentersPause: Duration { pause * 6 }
    static let log = Logger(subsystem: "Purvey", category: "FileCoordination")

    /// The file coordination state that `NSFileCoordinator` uses in this process.
    package static let current = ProcessCoordination(shared: found())

    private static func found() -> (any SharedCoordination)? {
        if ProcessInfo.processInfo.environment["PURVEY_COORDINATION"] == "process" { return nil }
        guard let pointer = clate_shared_coordination() else { return nil }
        // The pointer is a retained `SharedCoordinationBox` that the service's client created.
        return Unmanaged<SharedCoordinationBox>.fromOpaque(pointer).takeRetainedValue().coordination
    }

    /// Creates the file coordination state of a process.
    ///
    /// - Parameters:
    ///   - shared: The connection to the daemon; `nil` in a program that is not linked with the client of the service.
    ///   - pause: The minimum time between attempts to connect to the daemon.
    package init(shared: (any SharedCoordination)?, pause: Duration = .seconds(5)) {
        self.shared = shared
        self.pause = pause
    }

    /// The time in milliseconds that a presenter may take to prepare for a claim of this process.
    static let presenterTimeLimit: Int = {
        let text = ProcessInfo.processInfo.environment["PURVEY_PRESENTER_TIME_LIMIT"] ?? ""
        guard let seconds = Double(text), seconds > 0 else { return 30_000 }
        return Int(min(seconds * 1000, Double(ClaimLimits.presenterMilliseconds.upperBound)).rounded(.up))
    }()
}

// MARK: - Connecting

extension ProcessCoordination {
    /// Connects to an authority: to the daemon if possible, which is started if necessary. Blocks until an authority is
    /// connected.
    func connect() {
        while true {
            let (latch, isOurs) = state.withLock { state -> (Latch?, Bool) in
                switch state.link {
                case .connected: return (nil, false)
                case .connecting(let latch): return (latch, false)
                case .none:
                    let latch = Latch()
                    state.link = .connecting(latch)
                    state.epoch += 1
                    state.wasLostMeanwhile = false
                    return (latch, true)
                }
            }
            guard let latch else { return }
            if isOurs {
                makeLink()
                latch.open()
                return sendAll()
            }
            latch.wait()
        }
    }

    private func makeLink() {
        let epoch = state.withLock { $0.epoch }
        if let shared {
            do {
                let authority = try connect(shared, epoch)
                let isThere = state.withLock { state in
                    if state.wasLostMeanwhile { return false }
                    state.use(authority, isLocal: false)
                    return true
                }
                if isThere { return }
                Self.log.error("the Purvey daemon ended; files are coordinated within this process only")
            } catch {
                Self.log.error(
                    "files are coordinated within this process only: \(String(describing: error), privacy: .public)")
            }
        }
        let local = LocalAuthority { [weak self] in self?.receive($0, epoch: epoch) }
        state.withLock { state in
            state.lastFailure = .now
            state.use(local, isLocal: true)
        }
    }

    private func connect(
        _ shared: any SharedCoordination, _ epoch: UInt64
    ) throws -> any CoordinationAuthority {
        try shared.connect(
            receive: { [weak self] in self?.receive($0, epoch: epoch) },
            place: { [weak self] in self?.placeOfClaim($0) }, lost: { [weak self] in self?.lost(epoch) })
    }

    /// Handles the loss of the connection to an authority. All granted claims are retained and reported to the next
    /// authority.
    private func lost(_ epoch: UInt64) {
        let (reacquisitions, isNeeded) = state.withLock { state -> ([Reacquisition], Bool) in
            guard state.epoch == epoch else {
                // The connection to the next authority was lost before this authority became the current one.
                if state.isTryingAgain, state.epoch + 1 == epoch { state.wasLostMeanwhile = true }
                return ([], false)
            }
            guard case .connected = state.link else {
                state.wasLostMeanwhile = true
                return ([], false)
            }
            state.link = .none
            state.outgoing = []
            return (state.takeReacquisitions(), !state.claims.isEmpty || !state.presenters.isEmpty)
        }
        giveBack(reacquisitions)
        if isNeeded { HandlerThreads.shared.run { self.connect() } }
    }

    /// Tries again to connect to the daemon if earlier attempts failed. If the connection succeeds, the daemon becomes
    /// the authority.
    ///
    /// - Parameter pause: The minimum time since the last attempt. By default, it is the value for a process that makes
    ///   claims.
    func lookForDaemonAgain(after pause: Duration? = nil) {
        guard let shared else { return }
        let pause = pause ?? self.pause
        let epoch = state.withLock { state -> UInt64? in
            guard case .connected(_, isLocal: true) = state.link, !state.isTryingAgain,
                let failure = state.lastFailure, failure.duration(to: .now) > pause
            else { return nil }
            state.isTryingAgain = true
            state.wasLostMeanwhile = false
            return state.epoch + 1
        }
        guard let epoch else { return }
        HandlerThreads.shared.run { [self] in
            let authority = try? connect(shared, epoch)
            let reacquisitions = state.withLock { state -> [Reacquisition] in
                state.isTryingAgain = false
                state.lastFailure = .now
                guard let authority, !state.wasLostMeanwhile, case .connected(_, isLocal: true) = state.link,
                    state.epoch + 1 == epoch
                else { return [] }
                state.epoch = epoch
                state.use(authority, isLocal: false)
                return state.takeReacquisitions()
            }
            giveBack(reacquisitions)
            sendAll()
        }
    }

    // MARK: Sending

    /// Changes the state and sends the resulting events. Without an authority, the events are dropped, because the next
    /// authority is initialized from the state.
    ///
    /// - Returns: Whether an authority is connected.
    @discardableResult
    func post(_ change: (inout State) -> [CoordinationEvent]) -> Bool {
        let (isConnected, turn) = state.withLock { state in
            let events = change(&state)
            return (state.isConnected, state.beginSending(events))
        }
        if let turn { send(turn) }
        return isConnected
    }

    /// Registers a new claim with the given function, which changes the state. Sends the claim as ``post(_:)`` does.
    func registering(_ change: (inout State) -> ClaimTicket) -> (isConnected: Bool, ClaimTicket) {
        let (isConnected, ticket, turn) = state.withLock { state in
            let ticket = change(&state)
            guard state.isConnected else { return (false, ticket, State.Turn?.none) }
            return (true, ticket, state.beginSending([.claim(ticket.request)]))
        }
        if let turn { send(turn) }
        return (isConnected, ticket)
    }

    private func sendAll() { post { _ in [] } }

    /// Sends the events of the given turn, and then the events that were added in the meantime.
    private func send(_ turn: State.Turn) {
        var turn = turn
        while true {
            for event in turn.events {
                do { try turn.authority.send(event) } catch { giveUp(event, error, on: turn.authority) }
            }
            let next = state.withLock { state in
                state.isSending = false
                return state.beginSending([])
            }
            guard let next else { return }
            turn = next
        }
    }
}

extension ProcessCoordination.State {
    /// The events that one thread sends. Only one thread sends at a time, so that the authority gets all events in
    /// order.
    fileprivate struct Turn {
        let authority: any CoordinationAuthority
        let events: [CoordinationEvent]
    }

    fileprivate var isConnected: Bool {
        if case .connected = link { true } else { false }
    }

    /// Queues events for the authority, if one is connected. Returns the events that the calling thread must send, if
    /// any.
    fileprivate mutating func beginSending(_ events: [CoordinationEvent]) -> Turn? {
        guard case .connected(let authority, _) = link else { return nil }
        outgoing += events
        if isSending || outgoing.isEmpty { return nil }
        isSending = true
        defer { outgoing = [] }
        return Turn(authority: authority, events: outgoing)
    }

    /// Makes the given authority the current one. Queues the events that describe the whole state to it.
    fileprivate mutating func use(_ authority: any CoordinationAuthority, isLocal: Bool) {
        link = .connected(authority, isLocal: isLocal)
        outgoing = presenters.values.sorted { $0.number < $1.number }.map { .present($0.place) }
        let claims = claims.values.sorted { $0.number < $1.number }
        // The preparations of the former authority have ended, and their numbers are invalid now.
        func request(of claim: ClaimTicket) -> ClaimRequest {
            var request = claim.request
            request.answering = []
            return request
        }
        outgoing += claims.filter(\.isGranted).map { .adopt(request(of: $0)) }
        outgoing.append(.adoptedAll)
        for claim in claims where claim.outcome == nil {
            claim.isDelayed()
            outgoing.append(.claim(request(of: claim)))
        }
    }

    fileprivate mutating func takeReacquisitions() -> [ProcessCoordination.Reacquisition] {
        defer { reacquisitions = [:] }
        return Array(reacquisitions.values)
    }
}
