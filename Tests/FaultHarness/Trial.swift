import DaemonTesting
import FileProvider
import Foundation
import Glibc
import LinuxSystem
import ScriptableService
import Synchronization

/// A scenario that is done once, with a fault or without, and what came of it.
struct Trial {
    struct Outcome: Sendable {
        var fault: Fault?
        /// The fault came to be.
        var isReached = false
        var kills = 0
        var stops = 0
        var disconnects = 0
        var fills = 0
        /// Times that the service gave a bad answer or was slow.
        var badAnswers = 0
        /// Times that the service refused everything until somebody saw to it.
        var refusals = 0
        var losses: [Loss] = []
        /// How often each step was come to, and the service's requests.
        var steps: [String: Int] = [:]
        /// From the daemon's start until everything was everywhere.
        var duration = Duration.zero
        /// Where everything lies, if it was kept.
        var home: String?
    }

    private let course: Course
    private let fault: Fault?
    private let place: FaultPlace
    private let model: StartedCloud.Model
    /// Whether the service gets modes, dates and extended attributes too.
    private var takesAttributes: Bool { model.isReplica }
    private let minder: Minder
    private var losses: [Loss] = []
    private var duration = Duration.zero

    /// Looks until something is given up, at least as many seconds as ``patience``.
    private static let pause: UInt32 = 100_000
    private static let patience = 180

    /// The program is being ended, and with it what the trials need.
    static let isOver = Atomic(false)

    /// - Parameters:
    ///   - bundle: the provider's.
    ///   - usual: how long it takes without a fault; `nil` where that is not known.
    ///   - hasKeeper: whether the daemon's keeper starts the next one.
    ///   - model: the provider's.
    ///   - keepsFiles: whether everything stays where it is when something was lost.
    static func run(
        _ scenario: Scenario, seed: UInt64, _ fault: Fault?, bundle: String, usual: Duration?, hasKeeper: Bool,
        model: StartedCloud.Model, keepsFiles: Bool
    ) -> Outcome {
        do {
            let place = try FaultPlace(
                bundle: bundle, fault, answerTime: answerTime(fault, usual: usual), hasKeeper: hasKeeper)
            let leftover = Leftover {
                isOver.store(true, ordering: .relaxed)
                _ = place.end()
            }
            defer { leftover.forget() }
            var trial = Trial(place, scenario, seed: seed, fault, model)
            do {
                try trial.run(scenario)
            } catch {
                trial.losses.append(Loss(.notSettled, "", "the trial could not be done: \(error)"))
            }
            return trial.end(keepsFiles: keepsFiles)
        } catch {
            return Outcome(fault: fault, losses: [Loss(.notSettled, "", "the trial could not begin: \(error)")])
        }
    }

    private init(_ place: FaultPlace, _ scenario: Scenario, seed: UInt64, _ fault: Fault?, _ model: StartedCloud.Model)
    {
        self.place = place
        self.model = model
        self.fault = fault
        course = Course(scenario, seed: seed)
        minder = Minder(place, fault, seed: seed &+ UInt64(truncatingIfNeeded: fault?.count ?? 0))
    }

    /// A provider that stands still is waited for as long as it may take to answer, and nobody waits for that otherwise. An answer takes
    /// a small part of what the whole scenario takes, on a busy machine too.
    private static func answerTime(_ fault: Fault?, usual: Duration?) -> Double {
        if case .engine = fault?.place { return 30 }
        guard fault?.kind == .stop, let usual else { return 30 }
        return min(max(1, usual / .seconds(2)), 10)
    }

    private mutating func run(_ scenario: Scenario) throws {
        let start = ContinuousClock.now
        defer { duration = ContinuousClock.now - start }
        let model = model
        try place.cloud.control.change { settings in
            settings.pageLimit = scenario.pageLimit
            settings.identifiersArePaths = model.identifiersArePaths
        }
        try place.fill(course.before)
        if scenario.givesParts { try place.giveParts() }
        if let rule = fault?.rule { try place.cloud.control.add(rule) }
        try startDaemon()
        try minder.start()
        addDomain()
        for operation in course.operations {
            // What comes after something that cannot be done for minutes would take minutes, too.
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
        // Where it has not settled, more is not to be expected.
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
        case (.slow, _), (.truncate, _), (.halve, _), (.lie, _): outcome.badAnswers = isAsked ? 1 : 0
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
            // What could not be done on a full disk is done some seconds later, or at the next start.
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
                if try place.activity() == nil { try place.addDomain() }
            } catch {
                last = "\(error)"
            }
            if place.isMounted { return minder.noteAdded() }
            usleep(Self.pause)
        }
        losses.append(Loss(.notSettled, "", "the domain cannot be added: \(last)"))
    }

    // MARK: What is done

    /// - Returns: whether it could be done in the end.
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
            if retries.isTime { place.retry() }
            place.giveNotice()
            usleep(Self.pause)
        }
        losses.append(Loss(.notSettled, "", "\(operation) cannot be done: \(last)"))
        return false
    }

    /// Some failures are what a fault has to lead to, others what it must not.
    private mutating func noteFailure(
        _ operation: Operation, _ error: any Error, since start: ContinuousClock.Instant
    ) {
        if let wrong = error as? Operation.Wrong { return losses.append(wrong.finding) }
        let isExcused =
            switch operation.need {
            // What others did comes here when it comes.
            case .others: true
            case .provider: isExcused(error, since: start) || isProvidersFault
            case .nothing: isExcused(error, since: start)
            }
        if !isExcused { losses.append(Loss(.refused, "", "\(operation): \(error)")) }
    }

    /// Whether it is what a program cannot be kept from.
    private func isExcused(_ error: any Error, since start: ContinuousClock.Instant) -> Bool {
        let end = ContinuousClock.now
        switch (fault?.place, fault?.kind) {
        // Who works in the mount waits for the next daemon; who asks the daemon itself for something hears of its end.
        case (.engine, .kill) where place.hasKeeper: return !(error is Errno)
        // Nobody can be told anything by a daemon that is dead.
        case (.engine, .kill): return minder.wasDead(between: start, and: end)
        case (_, .fill):
            // A call's failure is no number.
            let isOfRoom = (error as? Errno).map { $0 == .noSpace } ?? true
            return isOfRoom && minder.wasFull(between: start, and: end)
        // Folders that nobody has looked into yet cannot be looked into, in the mount and by the daemon, which says so in words.
        case (_, .signOut):
            return (error as? Errno).map { $0 == .permissionDenied } ?? true && place.hasCome(to: fault)
        default: return false
        }
    }

    /// Whether the provider or its service may be of no use for the moment.
    private var isProvidersFault: Bool {
        switch (fault?.place, fault?.kind) {
        case (.engine, _), (nil, _), (_, .slow): false
        default: place.hasCome(to: fault)
        }
    }

    // MARK: The end

    /// A person has what failed tried again, only to have it sooner: after some seconds, and every five from then on.
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

    /// Waits until everything is everywhere.
    private mutating func settle() {
        let deadline = ContinuousClock.now + .seconds(Self.patience)
        var retries = Retries(first: .seconds(1))
        var pause = Self.pause / 4
        while true {
            let words = whatWaits()
            let isOver = ContinuousClock.now >= deadline
            // What waits is not where it has to be, and costs one look only.
            let found = words.isEmpty || isOver ? differences(all: isOver) : []
            if words.isEmpty, found.isEmpty { return }
            if isOver {
                losses += found
                if !words.isEmpty { losses.append(Loss(.notSettled, "", words)) }
                return
            }
            if retries.isTime { place.retry() }
            place.giveNotice()
            usleep(pause)
            pause = min(pause * 3 / 2, Self.pause * 4)
        }
    }

    /// What the engine has to do still, in words.
    private func whatWaits() -> String {
        guard let activity = minder.waitForMount() else { return "the domain is not mounted" }
        let waiting = activity.uploadsWaiting + activity.uploadsInFlight
        let marks = activity.marksWaiting + activity.marksInFlight + activity.marksPaused
        guard waiting + marks > 0 else { return "" }
        return "\(waiting) edits and \(marks) marks wait: \(activity.faults.joined(separator: "; "))"
    }

    /// What is not as it has to be in the end.
    ///
    /// - Parameter all: whether everything is looked at, or what is cheap first, until something is found.
    private func differences(all: Bool) -> [Loss] {
        do {
            let service = try place.service()
            let wanted = course.after.merging(course.trash) { $1 }
            var found = Loss.between(wanted, service.tree, texts: course.texts, .service)
            // None of them is a file's contents: what differs was lost.
            found += Loss.between(course.marks, service.marks, texts: Set(service.marks.values), .service)
            if !found.isEmpty, !all { return found }
            let mounted = try MountedTree(place.mount)
            found += mounted.losses + Loss.between(course.after, mounted.tree, texts: course.texts, .mount)
            if !found.isEmpty, !all { return found }
            if takesAttributes { found += FaultPlace.differences(course.attributes, service.items) }
            return found + (try mounted.differences(course.attributes)) + (try differencesOfKeeping())
        } catch {
            return [Loss(.notSettled, "", "what is there cannot be read: \(error)")]
        }
    }

    /// What is not as it has to be of tags, favorites and the trash in the mount.
    private func differencesOfKeeping() throws -> [Loss] {
        let here = course.marks.filter { !FaultPlace.isInTrash($0.key) }
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
