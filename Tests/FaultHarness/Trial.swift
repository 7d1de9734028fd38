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
        var losses: [Loss] = []
        /// How often each step was come to, and the service's requests.
        var steps: [String: Int] = [:]
        /// Where everything lies, if it was kept.
        var home: String?
    }

    private let course: Course
    private let fault: Fault?
    private let place: FaultPlace
    private let minder: Minder
    private var losses: [Loss] = []

    /// Looks until something is given up, at least as many seconds as ``patience``.
    private static let pause: UInt32 = 100_000
    private static let patience = 180

    /// The program is being ended, and with it what the trials need.
    static let isOver = Atomic(false)

    /// - Parameters:
    ///   - bundle: the provider's.
    ///   - keepsFiles: whether everything stays where it is when something was lost.
    static func run(
        _ scenario: Scenario, seed: UInt64, _ fault: Fault?, bundle: String, keepsFiles: Bool
    ) -> Outcome {
        do {
            let place = try FaultPlace(bundle: bundle, isSmall: fault?.kind == .fill)
            let leftover = Leftover {
                isOver.store(true, ordering: .relaxed)
                _ = place.end()
            }
            defer { leftover.forget() }
            var trial = Trial(place, scenario, seed: seed, fault)
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

    private init(_ place: FaultPlace, _ scenario: Scenario, seed: UInt64, _ fault: Fault?) {
        self.place = place
        self.fault = fault
        course = Course(scenario, seed: seed)
        minder = Minder(place, fault, seed: seed &+ UInt64(truncatingIfNeeded: fault?.count ?? 0))
    }

    private mutating func run(_ scenario: Scenario) throws {
        try place.cloud.control.change { $0.pageLimit = scenario.pageLimit }
        try place.fill(course.before)
        if let rule { try place.cloud.control.add(rule) }
        try startDaemon()
        try minder.start()
        addDomain()
        for operation in course.operations { perform(operation) }
        settle()
    }

    private mutating func end(keepsFiles: Bool) -> Outcome {
        let minded = minder.end()
        losses += minded.losses
        var outcome = Outcome(fault: fault, kills: minded.kills, stops: minded.stops, fills: minded.fills)
        outcome.steps = place.steps()
        let requests = (try? place.cloud.control.requests().count) ?? 0
        for place in [Fault.Place.request, .answer] { outcome.steps[place.name] = requests }
        count(&outcome, requests: requests)
        if place.daemon.end() != .exited(0) { losses.append(Loss(.crash, "", "the daemon does not end in good order")) }
        // Where it has not settled, more is not to be expected.
        if losses.isEmpty { compareWhatIsLeft() }
        let isKept = keepsFiles && !losses.isEmpty
        if let loss = place.end(keepsFiles: isKept) { losses.append(loss) }
        outcome.home = isKept ? place.home : nil
        outcome.losses = losses
        return outcome
    }

    private func count(_ outcome: inout Outcome, requests: Int) {
        guard let fault else { return }
        let noted = outcome.steps["fault " + fault.place.name, default: 0]
        switch (fault.kind, fault.place) {
        case (.kill, .provider): outcome.kills += noted
        case (.stop, .provider): outcome.stops += noted
        case (.disconnect, _): outcome.disconnects = requests >= fault.count ? 1 : 0
        default: break
        }
        outcome.isReached = outcome.kills + outcome.stops + outcome.disconnects + outcome.fills > 0
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

    /// What makes the service a bad one.
    private var rule: CloudRule? {
        guard let fault else { return nil }
        let effect: CloudRule.Effect
        switch (fault.place, fault.kind) {
        case (.request, .disconnect): effect = .drop
        case (.answer, .disconnect): effect = .dropAfterwards
        case (.request, _): effect = .hold
        case (.answer, _): effect = .holdAfterwards
        case (.engine, _), (.provider, _): return nil
        }
        return CloudRule(effect, skipping: fault.count - 1, times: 1)
    }

    private func startDaemon() throws {
        switch fault?.place {
        case .engine: try place.start(dyingAt: fault?.point)
        case .provider: try place.start(providerDyingAt: fault?.point)
        case .request, .answer, nil: try place.start()
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

    private mutating func perform(_ operation: Operation) {
        do {
            return try operation.perform(in: place)
        } catch {
            noteFailure(operation, error)
        }
        var last = ""
        let deadline = ContinuousClock.now + .seconds(Self.patience)
        while ContinuousClock.now < deadline {
            place.makeRoom()
            minder.waitForMount()
            do {
                return try operation.performAgain(in: place)
            } catch let wrong as Operation.Wrong {
                last = wrong.finding.words
            } catch {
                last = "\(error)"
            }
            place.signal()
            usleep(Self.pause)
        }
        losses.append(Loss(.notSettled, "", "\(operation) cannot be done: \(last)"))
    }

    /// Some failures are what a fault has to lead to, others what it must not.
    private mutating func noteFailure(_ operation: Operation, _ error: any Error) {
        if let wrong = error as? Operation.Wrong { return losses.append(wrong.finding) }
        switch (fault?.place, fault?.kind, error as? Errno) {
        // Nobody can be told anything by a daemon that is dead.
        case (.engine, .kill, _), (.engine, .fill, .noSpace): return
        default: if operation.needsProvider { return }
        }
        losses.append(Loss(.refused, "", "\(operation): \(error)"))
    }

    // MARK: The end

    /// Waits until everything is everywhere.
    private mutating func settle() {
        let deadline = ContinuousClock.now + .seconds(Self.patience)
        var found: [Loss] = []
        var words = ""
        var looks = 0
        while ContinuousClock.now < deadline {
            minder.waitForMount()
            (found, words) = differences()
            if found.isEmpty, words.isEmpty { return }
            looks += 1
            // Only to have it sooner, as a person would.
            if looks % 50 == 20 { place.retry() }
            place.signal()
            usleep(Self.pause)
        }
        losses += found
        if !words.isEmpty { losses.append(Loss(.notSettled, "", words)) }
    }

    /// What is not as it has to be in the end, and what the engine has to do still.
    private func differences() -> ([Loss], String) {
        do {
            guard let activity = try place.activity(), activity.domain.mount == place.mount else {
                return ([], "the domain is not mounted")
            }
            let waiting = activity.uploadsWaiting + activity.uploadsInFlight
            let words = waiting == 0 ? "" : "\(waiting) edits wait: \(activity.faults.joined(separator: "; "))"
            var found = Loss.between(course.after, try place.serviceTree(), texts: course.texts, .service)
            found += Loss.between(course.after, try Tree.read(place.mount), texts: course.texts, .mount)
            return (found, words)
        } catch {
            return ([], "what is there cannot be read: \(error)")
        }
    }
}
