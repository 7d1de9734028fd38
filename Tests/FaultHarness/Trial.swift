import DaemonTesting
import DomainMessages
import FileProvider
import Foundation
import Glibc
import LinuxSystem
import ScriptableService
import Synchronization

/// One run of a scenario, with or without a fault, and its result.
struct Trial {
    struct Outcome: Sendable {
        var fault: Fault?
        /// Whether the fault occurred.
        var isReached = false
        var kills = 0
        var stops = 0
        var disconnects = 0
        var fills = 0
        /// The number of times that the service sent a bad reply or was slow.
        var badAnswers = 0
        /// The number of times that the service refused all requests until the user resolved the cause.
        var refusals = 0
        var losses: [Loss] = []
        /// The number of times that each step was reached, and the number of requests of each kind that the service
        /// received.
        var steps: [String: Int] = [:]
        /// The duration from the daemon's start until both sides were equal.
        var duration = Duration.zero
        /// The path of the files, if they were kept.
        var home: String?
    }

    private let course: Course
    private let fault: Fault?
    private let place: FaultFixture
    private let model: TrialModel
    private let minder: Minder
    private var losses: [Loss] = []
    private var duration = Duration.zero

    /// The microseconds between two attempts, and the minimum number of seconds after which attempts end.
    private static let pause: UInt32 = 100_000
    private static let patience = 180

    /// Whether the program is ending, and removes the files that the trials need.
    static let isOver = Atomic(false)

    /// - Parameters:
    ///   - bundle: The path of the provider's bundle.
    ///   - usual: The scenario's duration without a fault; `nil` if unknown.
    ///   - options: The run's options.
    static func run(
        _ scenario: Scenario, _ fault: Fault?, bundle: String, usual: Duration?, _ options: Harness.Options
    ) -> Outcome {
        do {
            let place = try FaultFixture(
                options, bundle: bundle, fault, answerTime: answerTime(fault, usual: usual, options.model))
            let leftover = ExitCleanup {
                isOver.store(true, ordering: .relaxed)
                _ = place.end()
            }
            defer { leftover.forget() }
            var trial = Trial(place, scenario, fault, options)
            do {
                try trial.run(scenario)
            } catch {
                trial.losses.append(Loss(.notSettled, "", "the trial could not be done: \(error)"))
            }
            return trial.end(keepsFiles: options.keepsFiles)
        } catch {
            return Outcome(fault: fault, losses: [Loss(.notSettled, "", "the trial could not begin: \(error)")])
        }
    }

    private init(
        _ place: FaultFixture, _ scenario: Scenario, _ fault: Fault?, _ options: Harness.Options
    ) {
        self.place = place
        model = options.model
        self.fault = fault
        course = Course(scenario, seed: options.seed, options.model)
        minder = Minder(place, fault, seed: options.seed &+ UInt64(truncatingIfNeeded: fault?.count ?? 0))
    }

    /// Returns the number of seconds within which the provider must reply. A trial waits that long for a stopped
    /// provider, so the value is small only for such faults. A reply takes a small part of the scenario's duration,
    /// even on a busy machine, apart from the set-up of a server's domain, which may take most of it.
    private static func answerTime(_ fault: Fault?, usual: Duration?, _ model: TrialModel) -> Double {
        if case .engine = fault?.place { return 30 }
        guard fault?.kind == .stop, let usual else { return 30 }
        return min(max(1, usual / (model.isServer ? .milliseconds(500) : .seconds(2))), 10)
    }

    private mutating func run(_ scenario: Scenario) throws {
        let start = ContinuousClock.now
        defer { duration = ContinuousClock.now - start }
        try place.service.prepare(scenario)
        try place.fill(course.before)
        // The set-up of a server's domain sends many requests, which tests of the set-up are about.
        if let fault, !model.isServer { try place.service.order(fault) }
        try startDaemon()
        try minder.start()
        addDomain()
        if let fault, model.isServer { try place.service.order(fault) }
        for operation in course.operations {
            // Further operations would wait for minutes, too.
            guard perform(operation) else { return }
        }
        settle()
    }

    private mutating func end(keepsFiles: Bool) -> Outcome {
        let minded = minder.end()
        losses += minded.losses
        var outcome = Outcome(fault: fault, kills: minded.kills, stops: minded.stops, fills: minded.fills)
        outcome.duration = duration
        outcome.steps = place.steps()
        outcome.steps.merge(place.requests()) { $0 + $1 }
        count(&outcome)
        let ending = place.daemon.end()
        if ending != .exited(0) {
            let words = ending.map { "\($0)" } ?? "it does not end"
            losses.append(Loss(.crash, "", "the daemon does not end in good order: \(words)\(place.endOfLog)"))
        }
        // If the domain has not settled, the files cannot be right.
        if losses.isEmpty { compareWhatIsLeft() }
        let isKept = keepsFiles && !losses.isEmpty
        if let loss = place.end(keepsFiles: isKept) { losses.append(loss) }
        outcome.home = isKept ? place.home : nil
        outcome.losses = losses
        return outcome
    }

    private func count(_ outcome: inout Outcome) {
        guard let fault else { return }
        let noted = outcome.steps["fault " + fault.place.name, default: 0]
        let isAsked = outcome.steps[fault.place.name, default: 0] >= fault.count
        switch (fault.kind, fault.place) {
        case (.kill, .provider): outcome.kills += noted
        case (.stop, .provider): outcome.stops += noted
        case (.disconnect, _): outcome.disconnects = isAsked ? 1 : 0
        case (.slow, _), (.truncate, _), (.halve, _), (.lie, _), (.busy, _), (.throttled, _), (.locked, _), (.page, _),
            (.longer, _):
            outcome.badAnswers = isAsked ? 1 : 0
        case (.quota, _), (.signOut, _): outcome.refusals = isAsked ? 1 : 0
        default: break
        }
        let faults = [
            outcome.kills, outcome.stops, outcome.disconnects, outcome.fills, outcome.badAnswers, outcome.refusals,
        ]
        outcome.isReached = faults.contains { $0 > 0 }
    }

    private mutating func compareWhatIsLeft() {
        do {
            losses += try place.compareIndex()
            guard try !Leftovers.find(data: place.data, home: place.home).isEmpty else { return }
            // Work that failed on a full disk is repeated some seconds later, or at the next start.
            try place.start()
            minder.waitForMount()
            _ = place.daemon.end()
            losses += try Leftovers.find(data: place.data, home: place.home).map { Loss(.leftBehind, "", $0) }
        } catch {
            losses.append(Loss(.indexDiffers, "", "it cannot be compared: \(error)"))
        }
    }

    // MARK: The beginning

    private func startDaemon() throws {
        switch fault?.place {
        case .engine: try place.start(dyingAt: fault?.point(isKept: place.hasKeeper))
        case .provider: try place.start(providerDyingAt: fault?.point(isKept: false))
        case .request, .answer, .asked, nil: try place.start()
        }
    }

    private mutating func addDomain() {
        var last = ""
        for _ in 0..<600 {
            do {
                if try place.activity() == nil { try place.service.addDomain(to: place) }
            } catch {
                last = "\(error)"
            }
            if place.isMounted { return minder.noteAdded() }
            usleep(Self.pause)
        }
        losses.append(Loss(.notSettled, "", "the domain cannot be added: \(last)"))
    }

    // MARK: Operations

    /// - Returns: Whether the operation succeeded in the end.
    private mutating func perform(_ operation: Operation) -> Bool {
        let start = ContinuousClock.now
        do {
            try operation.perform(in: place)
            return true
        } catch {
            noteFailure(operation, error, since: start)
        }
        var last = ""
        let deadline = ContinuousClock.now + .seconds(Self.patience)
        var retries = Retries(first: .seconds(10))
        while ContinuousClock.now < deadline {
            minder.makeRoom()
            minder.waitForMount()
            do {
                try operation.performAgain(in: place)
                return true
            } catch let wrong as Operation.Wrong {
                last = wrong.finding.words
            } catch {
                last = "\(error)"
            }
            if retries.isTime {
                place.retry()
                if model.isServer { place.giveNotice(isNew: true) }
            }
            place.giveNotice()
            usleep(Self.pause)
        }
        losses.append(Loss(.notSettled, "", "\(operation) cannot be done: \(last)"))
        return false
    }

    /// Records a failure as a loss, unless the fault explains it.
    private mutating func noteFailure(
        _ operation: Operation, _ error: any Error, since start: ContinuousClock.Instant
    ) {
        if let wrong = error as? Operation.Wrong { return losses.append(wrong.finding) }
        let isExcused =
            switch operation.need {
            // Changes by other clients arrive at any time.
            case .others: true
            case .provider: isExcused(error, since: start) || isProvidersFault
            case .nothing: isExcused(error, since: start)
            }
        if !isExcused { losses.append(Loss(.refused, "", "\(operation): \(error)")) }
    }

    /// Whether the fault may cause this failure of a program.
    private func isExcused(_ error: any Error, since start: ContinuousClock.Instant) -> Bool {
        let end = ContinuousClock.now
        switch (fault?.place, fault?.kind) {
        // A program in the mount waits for the next daemon; a client of the daemon itself learns of its end.
        case (.engine, .kill) where place.hasKeeper: return !(error is Errno)
        // A dead daemon serves no program.
        case (.engine, .kill): return minder.wasDead(between: start, and: end)
        case (_, .fill):
            // The error of a call to the daemon is no `Errno`.
            let isOfRoom = (error as? Errno).map { $0 == .noSpace } ?? true
            return isOfRoom && minder.wasFull(between: start, and: end)
        // Directories that were never listed cannot be listed. In the mount that is an `Errno`, and for a call
        // another error.
        case (_, .signOut):
            return (error as? Errno).map { $0 == .permissionDenied } ?? true && place.hasCome(to: fault)
        default: return false
        }
    }

    /// Whether the provider or its service may be failing at the moment.
    private var isProvidersFault: Bool {
        switch (fault?.place, fault?.kind) {
        case (.engine, _), (nil, _), (_, .slow): false
        default: place.hasCome(to: fault)
        }
    }

    // MARK: The end

    /// The times at which the simulated user retries: after some seconds, and then every five seconds. The engine would
    /// retry later by itself.
    private struct Retries {
        private var next: ContinuousClock.Instant

        init(first: Duration) { next = .now + first }

        var isTime: Bool {
            mutating get {
                guard next <= .now else { return false }
                next = .now + .seconds(5)
                return true
            }
        }
    }

    /// Waits until both sides are equal and no work is pending.
    private mutating func settle() {
        let deadline = ContinuousClock.now + .seconds(Self.patience)
        var retries = Retries(first: .seconds(1))
        var pause = Self.pause / 4
        while true {
            let words = waitingItems()
            let isOver = ContinuousClock.now >= deadline
            // Pending work means a difference, and is cheap to check.
            let found = words.isEmpty || isOver ? differences(all: isOver) : []
            if words.isEmpty, found.isEmpty { return }
            if isOver {
                losses += found
                if !words.isEmpty { losses.append(Loss(.notSettled, "", words)) }
                return
            }
            if retries.isTime {
                place.retry()
                // A server sends no signals.
                if model.isServer { place.giveNotice(isNew: true) }
            }
            place.giveNotice()
            usleep(pause)
            pause = min(pause * 3 / 2, Self.pause * 4)
        }
    }

    /// Returns the engine's pending work, in words.
    private func waitingItems() -> String {
        guard let activity = minder.waitForMount() else { return "the domain is not mounted" }
        let waiting = activity.uploadsWaiting + activity.uploadsInFlight
        let marks = activity.marksWaiting + activity.marksInFlight + activity.marksPaused
        guard waiting + marks > 0 else { return "" }
        return "\(waiting) edits and \(marks) marks wait: \(activity.faults.joined(separator: "; "))"
    }

    /// Returns the differences from the expected final state.
    ///
    /// - Parameter all: Whether everything is compared. If `false`, cheap checks come first, and the comparison ends at
    ///   the first difference.
    private func differences(all: Bool) -> [Loss] {
        do {
            let service = try place.service.contents()
            let wanted = course.after.merging(course.trash) { $1 }
            var found = Loss.between(wanted, service.tree, texts: course.texts, .service)
            // Marks are no contents of files, so each difference is a loss.
            found += Loss.between(course.marks, service.marks, texts: Set(service.marks.values), .service)
            if !found.isEmpty, !all { return found }
            let mounted = try MountedTree(place.mount)
            found += mounted.losses + Loss.between(course.after, mounted.tree, texts: course.texts, .mount)
            if !found.isEmpty, !all { return found }
            if model.takesAttributes { found += FaultFixture.differences(course.attributes, service.items) }
            found += try mounted.differences(course.attributes)
            return model.isServer ? found : found + (try differencesOfKeeping())
        } catch {
            return [Loss(.notSettled, "", "what is there cannot be read: \(error)")]
        }
    }

    /// Returns the differences of tags, favorites and the trash in the mount.
    private func differencesOfKeeping() throws -> [Loss] {
        let here = course.marks.filter { !FaultFixture.isInTrash($0.key) }
        let mount = try place.marks(course.tags)
        var found = Loss.between(here, mount, texts: Set(mount.values), .mount)
        let wanted = course.trash.keys.filter { $0.split(separator: "/").count == 2 }.sorted()
        let trash = try place.trash()
        found += wanted.filter { !trash.contains($0) }.map { Loss(.unreachable, $0, "it is not in the trash") }
        found += trash.filter { !wanted.contains($0) }.map { Loss(.duplicate, $0, "it is in the trash, or was") }
        if Set(trash).count < trash.count { found.append(Loss(.duplicate, "", "the trash has \(trash)")) }
        return found
    }
}
