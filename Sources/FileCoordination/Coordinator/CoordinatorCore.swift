import Foundation
import LinuxSystem

/// The implementation of ``NSFileCoordinator``. Any thread may use it.
final class CoordinatorCore: Sendable {
    struct Running {
        /// The claims, not granted yet, for which callers wait.
        var waiting: [UInt64: ClaimTicket] = [:]
        /// The claims of running accessors that write. Each value contains the former paths of the items whose moves
        /// the accessor announced.
        var announcedMoves: [UInt64: Set<ExactPath>] = [:]
        /// Whether the coordinator was cancelled. After that, no further accessor runs.
        var isCancelled = false
    }

    let process: ProcessCoordination
    /// The presenter that gets no messages about this coordinator's claims. It is not retained.
    let presenter: ObjectIdentifier?
    // Leaf lock.
    private let running = Lock(Running())

    init(_ process: ProcessCoordination, presenter: ObjectIdentifier?) {
        self.process = process
        self.presenter = presenter
    }

    /// The maximum number of times that a claim is repeated because the item's URL leads to another path after the
    /// wait.
    static let attempts = 16

    /// Blocks until the given items may be used, runs an accessor on this thread, and ends the claim.
    func withClaim(_ items: [ClaimedItem], purpose: String, _ accessor: ([URL]) -> Void) throws {
        let (ticket, urls) = try waitForClaim(items, purpose: purpose)
        try access(items, ticket, urls, accessor)
    }

    /// Runs an accessor under a granted claim, and ends the claim.
    func access(_ items: [ClaimedItem], _ ticket: ClaimTicket, _ urls: [URL], _ accessor: ([URL]) -> Void) throws {
        if items.contains(where: \.isForUploading) {
            let snapshots: UploadSnapshots
            do {
                snapshots = try UploadSnapshots(items, urls, ticket.request.accesses)
            } catch {
                process.release(ticket)
                throw error
            }
            // The copies are removed with this object, so it must outlive the accessor.
            defer { withExtendedLifetime(snapshots) {} }
            // Other processes may use the original while the copy is read.
            if items.allSatisfy(\.isForUploading) {
                process.release(ticket)
                return accessor(snapshots.urls)
            }
            run(ticket) { accessor(snapshots.urls) }
        } else {
            run(ticket) { accessor(urls) }
        }
    }

    private func run(_ ticket: ClaimTicket, _ accessor: () -> Void) {
        let watches = ticket.request.accesses.enumerated().compactMap { ItemWatch($1, number: $0) }
        begin(ticket, watches)
        ThreadClaims.holding(ticket.number, accessor)
        end(ticket, watches)
    }

    /// Records that an accessor that writes these items is about to run.
    func begin(_ ticket: ClaimTicket, _ watches: [ItemWatch]) {
        if !watches.isEmpty { running.withLock { $0.announcedMoves[ticket.number] = [] } }
    }

    /// Ends the claim of an accessor that has run, and reports the changes of its items.
    func end(_ ticket: ClaimTicket, _ watches: [ItemWatch]) {
        if watches.isEmpty { return process.release(ticket) }
        let announced = running.withLock { $0.announcedMoves.removeValue(forKey: ticket.number) } ?? []
        let outcomes = watches.map { $0.outcome(announced: announced) }
        process.release(ticket, Self.outcomes(outcomes, ticket.request.accesses))
    }

    /// Removes the outcome of an item that was replaced when another item of the claim was moved to its path. The
    /// replaced item no longer exists.
    private static func outcomes(_ outcomes: [ClaimOutcome], _ accesses: [Access]) -> [ClaimOutcome] {
        let destinations = outcomes.compactMap { outcome -> ExactPath? in
            if case .moved(let path, _) = outcome.change { return path }
            return nil
        }
        return outcomes.filter { $0.change != .changed || !destinations.contains(accesses[$0.access].path) }
    }

    // MARK: - Waiting

    /// Blocks until the given items may be used. Returns the claim and the items' current URLs.
    func waitForClaim(_ items: [ClaimedItem], purpose: String) throws -> (ClaimTicket, [URL]) {
        var attempts = Self.attempts
        while true {
            let (ticket, places) = try makeClaim(items, purpose: purpose, in: .ofThread, at: .here())
            ticket.wait()
            if let urls = try granted(items, ticket, places, &attempts) {
                return (ticket, urls)
            }
        }
    }

    func makeClaim(
        _ items: [ClaimedItem], purpose: String, in surroundings: ClaimSurroundings, at site: CallSite
    ) throws -> (ClaimTicket, [ItemPath]) {
        let places = try items.map { try $0.locate() }
        let accesses = zip(items, places).map { $0.access(at: $1) }
        if let fault = ClaimLimits.fault(accesses, purpose: purpose) { throw ClaimDenial.refusal(fault) }
        if running.withLock({ $0.isCancelled }) { throw CocoaError(.userCancelled) }
        let ticket = process.claim(
            accesses, purpose: purpose, presenter: presenter, in: surroundings, at: site, handed: items.first?.handed)
        let isCancelled = running.withLock { running in
            running.waiting[ticket.number] = ticket
            return running.isCancelled
        }
        if isCancelled { process.withdraw(ticket) }
        return (ticket, places)
    }

    /// Removes a claim from ``Running/waiting``. Returns whether the coordinator was cancelled during the wait.
    @discardableResult
    func forget(_ ticket: ClaimTicket) -> Bool {
        running.withLock { running in
            running.waiting[ticket.number] = nil
            return running.isCancelled
        }
    }

    /// Returns the URLs for the accessor. Returns `nil` if the URLs of the items lead to other paths than before the
    /// claim, so that the claim must be repeated.
    func granted(
        _ items: [ClaimedItem], _ ticket: ClaimTicket, _ places: [ItemPath], _ attempts: inout Int
    ) throws -> [URL]? {
        let isCancelled = forget(ticket)
        switch ticket.outcome {
        case .granted where isCancelled:
            process.release(ticket)
            throw CocoaError(.userCancelled)
        case .granted(let granted, _)?:
            if ticket.hasWaited, attempts > 0, try Self.haveChanged(items, places, granted, release: ticket, process) {
                attempts -= 1
                return nil
            }
            return zip(items, zip(places, granted)).map { item, place in
                item.resolvesLink || place.0.path != place.1.path ? URL(fileURLWithPath: place.1.path.string) : item.url
            }
        case .denied(let denial)?: throw denial.error(of: ticket, in: process)
        case .cancelled?, nil: throw CocoaError(.userCancelled)
        }
    }

    /// Whether an item's URL leads to another path than before the claim because a symbolic link has changed, and not
    /// because of a coordinated move. If so, or if a path cannot be resolved, releases the claim.
    private static func haveChanged(
        _ items: [ClaimedItem], _ places: [ItemPath], _ granted: [GrantedItem], release ticket: ClaimTicket,
        _ process: ProcessCoordination
    ) throws -> Bool {
        do {
            for (item, (place, granted)) in zip(items, zip(places, granted)) where place.path == granted.path {
                guard try item.locate() != place else { continue }
                process.release(ticket)
                return true
            }
            return false
        } catch {
            process.release(ticket)
            throw error
        }
    }

    // MARK: - Cancellation and announcements

    /// Cancels all later calls, and all earlier calls whose accessor has not begun to run.
    func cancel() {
        let waiting = running.withLock { running in
            running.isCancelled = true
            return Array(running.waiting.values)
        }
        for ticket in waiting.sorted(by: { $0.number < $1.number }) { process.withdraw(ticket) }
    }

    func announceMove(from old: ItemPath, to new: ItemPath) {
        let around = TaskClaims.current.held + ThreadClaims.current.held
        running.withLock { running in
            // If the caller is outside of the coordinator's accessors, it is unknown which running accessor moved the
            // item. Then the move is recorded for all running accessors.
            let inside = around.filter { running.announcedMoves[$0] != nil }
            for claim in inside.isEmpty ? Array(running.announcedMoves.keys) : inside {
                running.announcedMoves[claim]?.insert(old.path)
            }
        }
        process.announce(
            .moved(
                ItemMove(path: old.path, newPath: new.path, newKey: new.key, excepted: process.number(of: presenter))))
    }
}
