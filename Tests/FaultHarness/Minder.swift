import DaemonTesting
import DomainMessages
import FileProvider
import FileProviderEngine
import FileTesting
import Glibc
import LinuxSystem
import ScriptableService

/// A monitor of a daemon that is killed or stopped while another thread works in the daemon's mount. It restarts a
/// daemon that ended, resumes a stopped one after a while, and performs the other actions of the fault.
final class Minder: Sendable {
    private let place: FaultFixture
    private let fault: Fault?
    /// A step of the next daemon's recovery at which that daemon is killed, too.
    private let secondPoint: String?

    struct State {
        var kills = 0
        var stops = 0
        var fills = 0
        var losses: [Loss] = []
        var isRestarting = false
        /// Whether the domain was added, and therefore has to exist after each start.
        var isAdded = false
        var isOver = false
        /// Whether the monitor's thread was started.
        var hasStarted = false
        var isFaultDone = false
        /// The instant at which space on the disk is freed, unless it is freed before.
        var roomAt: ContinuousClock.Instant?
        /// The instant at which the simulated user resolves the service's refusal.
        var helpAt: ContinuousClock.Instant?
        /// The instant at which the daemon was last seen alive.
        var lastSeen = ContinuousClock.now
        /// The periods in which a daemon may have been dead, each until the next daemon served the mount.
        var deaths: [ClosedRange<ContinuousClock.Instant>] = []
        /// The instant since which the disk was full.
        var fullSince: ContinuousClock.Instant?
        /// The instant until which the disk was full.
        var fullUntil: ContinuousClock.Instant?
    }

    // Leaf lock.
    private let state = Lock(State())
    private let ended = Latch()

    init(_ place: FaultFixture, _ fault: Fault?, seed: UInt64) {
        self.place = place
        self.fault = fault
        var generator = RandomNumbers(seed: seed)
        let recovery = EngineStep.allCases.filter(\.isOfRecovery)
        secondPoint = generator.below(3) == 0 ? recovery[generator.below(recovery.count)].rawValue : nil
    }

    /// Starts the monitor on a separate thread.
    func start() throws {
        try SystemThread.start("purvey-minder") { [self] in
            while !state.withLock({ $0.isOver }) {
                look()
                usleep(10_000)
            }
            ended.open()
        }
        // Only where there is a thread: without one the latch is never opened.
        state.withLock { $0.hasStarted = true }
    }

    /// Ends the monitor after its current action. Returns at once if the monitor was never started.
    func end() -> State {
        let hasStarted = state.withLock { state in
            state.isOver = true
            return state.hasStarted
        }
        if hasStarted { ended.wait() }
        return state.withLock { $0 }
    }

    func noteAdded() { state.withLock { $0.isAdded = true } }

    /// Blocks until a daemon has mounted the domain, for at most a minute.
    ///
    /// - Returns: The domain's activity; `nil` after a minute.
    @discardableResult
    func waitForMount() -> DomainActivity? {
        for _ in 0..<6_000 {
            if !state.withLock({ $0.isRestarting }), let activity = place.mountedActivity { return activity }
            usleep(10_000)
        }
        return nil
    }

    // MARK: Excuses

    /// The duration for which a killed daemon counts as alive after its connections have ended, while the kernel frees
    /// its memory.
    private static let agony = Duration.seconds(3)

    /// Whether no daemon ran at some time between two instants. Blocks until the daemon was checked after the second
    /// one.
    func wasDead(between start: ContinuousClock.Instant, and end: ContinuousClock.Instant) -> Bool {
        let last = end + Self.agony
        for _ in 0..<1_000 {
            let (isDead, wasSeen) = state.withLock { state in
                let isDead =
                    state.isRestarting && state.lastSeen <= last
                    || state.deaths.contains { $0.lowerBound <= last && start <= $0.upperBound }
                return (isDead, state.lastSeen > last)
            }
            if isDead || wasSeen { return isDead }
            usleep(10_000)
        }
        return false
    }

    /// Whether the disk was full at some time between two instants.
    func wasFull(between start: ContinuousClock.Instant, and end: ContinuousClock.Instant) -> Bool {
        state.withLock { state in
            state.fullSince.map { $0 <= end && start <= state.fullUntil ?? end } ?? false
        }
    }

    /// Frees space on a full disk, as the user would.
    func makeRoom() {
        place.makeRoom()
        state.withLock { state in
            if state.fullSince != nil, state.fullUntil == nil { state.fullUntil = .now }
        }
    }

    // MARK: Monitoring

    private func look() {
        let (daemon, now) = (place.daemon, ContinuousClock.now)
        if let ending = daemon.lookForEnd() { return startAgain(after: ending) }
        guard ProcessState.isAlive(daemon.processID) else { return }
        state.withLock { $0.lastSeen = now }
        if ProcessState.isStopped(daemon.processID) { goOn(daemon.processID) }
        meetStoppedProvider()
        meetHeldRequest()
        meetRefusal()
        let isFullForLong = state.withLock { state in
            guard let time = state.roomAt, time <= .now else { return false }
            state.roomAt = nil
            return true
        }
        if isFullForLong { makeRoom() }
    }

    private func startAgain(after ending: ChildProgram.Ending) {
        state.withLock { $0.isRestarting = true }
        defer {
            state.withLock { state in
                state.isRestarting = false
                state.deaths.append(state.lastSeen...max(state.lastSeen, .now))
            }
        }
        var isMeant = false
        if case .engine = fault?.place, fault?.kind == .kill, ending == .signalled(SIGKILL) {
            let kills = state.withLock { state in
                state.kills += 1
                return state.kills
            }
            isMeant = kills <= (secondPoint == nil ? 1 : 2)
        }
        if !isMeant { lose(.crash, "the daemon ended: \(ending)\(place.endOfLog)") }
        let isSecond = isMeant && state.withLock { $0.kills } == 1
        do {
            try place.start(dyingAt: isSecond ? secondPoint : nil)
        } catch {
            // The daemon may have died at its second point before it was ready, which the next look finds.
            if !isSecond || secondPoint == nil { lose(.crash, "the daemon cannot be started: \(error)") }
            return
        }
        guard state.withLock({ $0.isAdded }) else { return }
        for _ in 0..<6_000 {
            if place.isMounted || !ProcessState.isAlive(place.daemon.processID) { return }
            usleep(10_000)
        }
    }

    private func goOn(_ daemon: pid_t) {
        if place.hasKeeper, fault?.kind == .kill { return killKept(daemon) }
        if fault?.kind == .fill, case .engine = fault?.place {
            fillDisk()
        } else {
            state.withLock { $0.stops += 1 }
            usleep(300_000)
        }
        kill(daemon, SIGCONT)
    }

    /// Kills a daemon that has stopped itself at the fault's step. It is killed only when its keeper already has the
    /// mount. Each daemon that the keeper starts also stops at the step, and is resumed.
    private func killKept(_ daemon: pid_t) {
        guard place.daemon.isKept, state.withLock({ $0.kills }) == 0 else {
            kill(daemon, SIGCONT)
            return
        }
        state.withLock { state in
            state.kills += 1
            state.isRestarting = true
        }
        place.daemon.kill()
        do {
            try place.daemon.adopt()
        } catch {
            lose(.crash, "\(error)\(place.endOfLog)")
        }
        state.withLock { $0.isRestarting = false }
    }

    private func fillDisk() {
        do {
            try place.fillDisk()
            state.withLock { state in
                state.fills += 1
                state.fullSince = .now
                state.roomAt = .now + .seconds(2)
            }
        } catch {
            lose(.notSettled, "the disk cannot be filled: \(error)")
        }
    }

    /// Fills the disk when the provider has stopped at the fault's step.
    private func meetStoppedProvider() {
        guard let fault, fault.kind == .fill, case .provider = fault.place, !state.withLock({ $0.isFaultDone }),
            place.hasCome(to: fault)
        else { return }
        let stopped = place.daemon.children.filter(ProcessState.isStopped)
        guard !stopped.isEmpty else { return }
        state.withLock { $0.isFaultDone = true }
        fillDisk()
        for provider in stopped { kill(provider, SIGCONT) }
    }

    /// Kills or stops the provider when the service holds the fault's request.
    private func meetHeldRequest() {
        guard let fault, fault.place == .request || fault.place == .answer, fault.kind == .kill || fault.kind == .stop,
            !state.withLock({ $0.isFaultDone }), (try? place.service.held()) ?? 0 > 0
        else { return }
        let providers = place.daemon.children
        state.withLock { state in
            state.isFaultDone = true
            if fault.kind == .kill { state.kills += 1 } else { state.stops += 1 }
        }
        for provider in providers { kill(provider, fault.kind == .kill ? SIGKILL : SIGSTOP) }
        try? place.service.release()
    }

    /// Resolves a refusal by the service after a while, as a user would: signs in, or gets more space and retries.
    private func meetRefusal() {
        guard let fault, fault.kind == .quota || fault.kind == .signOut, !state.withLock({ $0.isFaultDone }),
            (try? place.service.isRefusing()) == true
        else { return }
        let isTime = state.withLock { state in
            let time = state.helpAt ?? .now + .milliseconds(500)
            state.helpAt = time
            return time <= .now
        }
        guard isTime else { return }
        do {
            try place.service.resolve(fault, in: place)
        } catch {
            // The daemon or the provider does not run at the moment, or the domain does not exist yet.
            return
        }
        state.withLock { $0.isFaultDone = true }
    }

    private func lose(_ kind: Loss.Kind, _ words: String) { state.withLock { $0.losses.append(Loss(kind, "", words)) } }
}
