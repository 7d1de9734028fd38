import FileCoordination
import LinuxSystem

/// The claims of files that file providers put in place on demand (``ProvidedFiles``). Such a claim is passed to the
/// arbiter when the provider has put its files in place.
///
/// The files are put in place before the arbiter receives the claim, because the provider makes a claim of its own to
/// write them.
final class ProvidedClaims: Sendable {
    private enum Stage {
        /// The task waits until the files are in place; `nil` until the task has been created.
        case preparing(Task<Void, Never>?)
        case used(any ProvidedFilesLease)
    }

    private struct Claim {
        let accesses: [Access]
        var stage: Stage
    }

    /// The changes of one client that the providers have not been notified of yet.
    private struct UnreportedChanges {
        /// The changed files, by the number of the claim under which they were changed.
        var claims: [UInt64: UnreportedChange] = [:]
        /// Closures to call when the providers have been notified of all of these changes.
        var waiting: [@Sendable () -> Void] = []
    }

    private struct UnreportedChange {
        let paths: [ExactPath]
        let reported: OneShotCompletion<Void>
    }

    private let files: any ProvidedFiles
    // Leaf lock: leases are ended, and tasks are cancelled, after the lock is released.
    private let claims = Lock<[ClaimIdentifier: Claim]>([:])
    // Leaf lock: waiting closures are called after it is released.
    private let unreported = Lock<[UInt64: UnreportedChanges]>([:])

    init(_ files: any ProvidedFiles) { self.files = files }

    /// The maximum number of claims of one client for files that are provided on demand.
    private static let limit = 1_000

    /// Puts the files of a claim in place and then passes the claim to the arbiter. If the claim concerns no files that
    /// are provided on demand, does nothing and returns `false`.
    ///
    /// - Parameters:
    ///   - isOwn: Whether the file at the given path belongs to the claiming process itself, as a provider's own files
    ///     do.
    ///   - make: Passes the claim to the arbiter. Returns whether the claim's client is still connected.
    ///   - end: Cancels the claim in the arbiter.
    /// - Returns: `true` if the claim is handled by this object, or was refused; `false` if the caller must pass it on.
    func take(
        _ request: ClaimRequest, of client: UInt64, isOwn: (ExactPath) -> Bool, make: @escaping @Sendable () -> Bool,
        end: @escaping @Sendable () -> Void, refuse: @escaping @Sendable (ClaimDenial) -> Void
    ) -> Bool {
        let identifier = ClaimIdentifier(client: client, number: request.number)
        let uses = uses(of: request, client, isOwn)
        guard !uses.isEmpty else { return false }
        let hasRoom = claims.withLock { claims in
            guard claims.keys.count(where: { $0.client == client }) < Self.limit else { return false }
            claims[identifier] = Claim(accesses: request.accesses, stage: .preparing(nil))
            return true
        }
        guard hasRoom else {
            refuse(.tooManyClaims(limit: Self.limit))
            return true
        }
        prepare(identifier, uses, request.purpose) { [self] result in
            switch result {
            case .success:
                // If the claim has ended while `make` ran, the arbiter may have received the end before the claim. In
                // this case, the claim is cancelled.
                if !make() { self.end(of: client) }
                if claims.withLock({ $0[identifier] == nil }) { end() }
            case .failure(let failure): refuse(.presenter(failure))
            }
        }
        return true
    }

    /// Records a claim that an earlier daemon's arbiter granted. The claim's files are already in place and in use.
    func adopt(_ request: ClaimRequest, of client: UInt64, isOwn: (ExactPath) -> Bool) {
        let identifier = ClaimIdentifier(client: client, number: request.number)
        let uses = uses(of: request, client, isOwn).map { ProvidedUse(path: $0.path, need: .nothing) }
        guard !uses.isEmpty else { return }
        claims.withLock { $0[identifier] = Claim(accesses: request.accesses, stage: .preparing(nil)) }
        prepare(identifier, uses, request.purpose) { _ in }
    }

    /// Puts the files of a claim in place.
    ///
    /// - Parameter done: Called with the result, unless the claim has ended in the meantime.
    private func prepare(
        _ identifier: ClaimIdentifier, _ uses: [ProvidedUse], _ purpose: String,
        _ done: @escaping @Sendable (Result<Void, CoordinationError>) -> Void
    ) {
        let task = Task { [self] in
            switch await files.begin(uses, purpose: purpose) {
            case .success(let hold):
                let isWanted = claims.withLock { claims in
                    claims[identifier]?.stage = .used(hold)
                    return claims[identifier] != nil
                }
                if isWanted { done(.success(())) } else { hold.end(changed: []) {} }
            case .failure(let failure):
                if claims.withLock({ $0.removeValue(forKey: identifier) }) != nil { done(.failure(failure)) }
            }
        }
        let isWanted = claims.withLock { claims in
            guard let claim = claims[identifier] else { return false }
            if case .preparing = claim.stage { claims[identifier]?.stage = .preparing(task) }
            return true
        }
        if !isWanted { task.cancel() }
    }

    private func uses(
        of request: ClaimRequest, _ client: UInt64, _ isOwn: (ExactPath) -> Bool
    ) -> [ProvidedUse] {
        let accesses = request.accesses.filter { files.mayProvide($0.path) && !isOwn($0.path) }
        if accesses.isEmpty { return [] }
        // The files of enclosing claims are provided already. To provide them again, the provider would have to wait
        // for those claims.
        let around = claims.withLock { claims in
            Set(
                request.enclosing.flatMap { number in
                    claims[ClaimIdentifier(client: client, number: number)]?.accesses.map(\.path) ?? []
                })
        }
        return accesses.map { access in
            // A package is provided as a whole.
            let path = files.mayProvide(access.key) ? access.key : access.path
            return ProvidedUse(path: path, need: around.contains(access.path) ? .nothing : access.need)
        }
    }

    // MARK: The end

    /// Ends the lease on a claim's files, whether or not the claim was passed to the arbiter.
    ///
    /// - Parameter reported: Called when the provider has been notified of the changes, or after a timeout.
    func end(
        _ number: UInt64, of client: UInt64, _ outcomes: [ClaimOutcome] = [],
        reported: @escaping @Sendable () -> Void = {}
    ) {
        let identifier = ClaimIdentifier(client: client, number: number)
        guard let claim = claims.withLock({ $0.removeValue(forKey: identifier) }) else { return reported() }
        guard case .used(let hold) = claim.stage else {
            finish(claim)
            return reported()
        }
        let changed = changed(outcomes, claim.accesses)
        if changed.isEmpty {
            hold.end(changed: []) {}
            return reported()
        }
        let first = OneShotCompletion<Void> { [self] in
            reported()
            hasReported(identifier)
        }
        let change = UnreportedChange(paths: changed, reported: first)
        unreported.withLock { $0[client, default: UnreportedChanges()].claims[number] = change }
        let limit = Deadlines.shared.run(after: files.patience) { HandlerThreads.shared.run { first.complete(()) } }
        hold.end(changed: changed) {
            Deadlines.shared.cancel(limit)
            first.complete(())
        }
    }

    private func hasReported(_ claim: ClaimIdentifier) {
        let waiting = unreported.withLock { unreported in
            unreported[claim.client]?.claims[claim.number] = nil
            guard unreported[claim.client]?.claims.isEmpty == true else { return [] as [@Sendable () -> Void] }
            return unreported.removeValue(forKey: claim.client)?.waiting ?? []
        }
        for body in waiting { body() }
    }

    /// Ends the wait for a provider's notification of changed files if the provider itself claims to read these files
    /// while it handles the notification. Claims to write do not end the wait, because a provider must know of a change
    /// before it replaces the file.
    ///
    /// - Parameter isOwn: Whether the file at the given path belongs to the provider.
    func giveWay(to accesses: [Access], _ isOwn: (ExactPath) -> Bool) {
        let claimed = accesses.filter { !$0.writes }.map(\.path).filter(isOwn)
        if claimed.isEmpty { return }
        let unreported = unreported.withLock { unreported in
            unreported.values.flatMap { $0.claims.values }.filter { change in
                change.paths.contains { path in
                    claimed.contains { $0 == path || PlainPath.isBeneath(path, $0) || PlainPath.isBeneath($0, path) }
                }
            }
        }
        for change in unreported { change.reported.complete(()) }
    }

    /// Calls a closure when the providers have been notified of all changes that the given client has made, or after a
    /// timeout.
    func afterReports(of client: UInt64, _ body: @escaping @Sendable () -> Void) {
        let waits = unreported.withLock { unreported in
            unreported[client]?.waiting.append(body)
            return unreported[client] != nil
        }
        if !waits { body() }
    }

    /// Ends the claims of a client that has disconnected.
    ///
    /// - Parameter keepingUsed: Whether to retain claims whose files are in place and may be in use, because the
    ///   process may still be alive.
    func end(of client: UInt64, keepingUsed: Bool = false) {
        let ended = claims.withLock { claims in
            let ended = claims.filter { identifier, claim in
                if identifier.client != client { return false }
                if case .used = claim.stage { return !keepingUsed }
                return true
            }
            for identifier in ended.keys { claims[identifier] = nil }
            return Array(ended.values)
        }
        for claim in ended { finish(claim) }
    }

    /// Ends the lease of a claim under which no file was changed, or the task that waits for the claim's files.
    private func finish(_ claim: Claim) {
        switch claim.stage {
        case .preparing(let task): task?.cancel()
        case .used(let hold): hold.end(changed: []) {}
        }
    }

    private func changed(_ outcomes: [ClaimOutcome], _ accesses: [Access]) -> [ExactPath] {
        outcomes.compactMap { outcome in
            guard accesses.indices.contains(outcome.access) else { return nil }
            let access = accesses[outcome.access]
            switch outcome.change {
            case .changed: return files.mayProvide(access.key) ? access.key : access.path
            case .moved(let path, _): return path
            case .none, .deleted: return nil
            }
        }.filter { files.mayProvide($0) }
    }
}

extension Access {
    fileprivate var need: ProvidedUse.Need {
        if traits.contains(.isQuiet) { return writes ? .nothing : .placeholder }
        guard writes else { return .contents }
        return traits.isDisjoint(with: [.deletes, .moves, .replaces, .evicts]) ? .contentsIfAny : .nothing
    }
}
