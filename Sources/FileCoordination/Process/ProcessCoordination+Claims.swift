import Foundation
import LinuxSystem
import OSLog

extension ProcessCoordination {
    /// Makes a claim. Blocks until an authority is connected, but does not wait for the grant.
    func claim(
        _ accesses: [Access], purpose: String, presenter: ObjectIdentifier?, in surroundings: ClaimSurroundings,
        at site: CallSite, handed: FileDescriptor? = nil
    ) -> ClaimTicket {
        refreshPlaces()
        let blocking = surroundings.blocksThread ? presentersBlockedByThisThread() : []
        lookForDaemonAgain()
        let (isConnected, ticket) = registering { state in
            let number = state.nextNumber
            state.nextNumber += 1
            let ticket = ClaimTicket(
                ClaimRequest(
                    number: number, accesses: accesses, purpose: purpose,
                    presenter: presenter.flatMap { state.presenterNumbers[$0] }, enclosing: surroundings.enclosing,
                    answering: surroundings.answering, blocking: blocking,
                    presenterTimeLimit: Self.presenterTimeLimit, handed: handed,
                    isNoting: ChangeNoting.isUnderWay),
                at: site)
            state.claims[number] = ticket
            return ticket
        }
        if !isConnected { connect() }
        return ticket
    }

    /// Ends a granted claim.
    func release(_ ticket: ClaimTicket, _ outcomes: [ClaimOutcome] = []) {
        post { state in
            guard state.claims.removeValue(forKey: ticket.number) != nil else { return [] }
            return [.release(claim: ticket.number, outcomes: outcomes)]
        }
    }

    /// Cancels a claim because its caller no longer waits for the grant.
    func withdraw(_ ticket: ClaimTicket) {
        guard ticket.finish(.cancelled) else { return }
        post { state in
            guard state.claims.removeValue(forKey: ticket.number) != nil else { return [] }
            return [.cancel(claim: ticket.number)]
        }
    }

    /// Sends the authority an event that does not concern a claim.
    func announce(_ event: CoordinationEvent) {
        refreshPlaces()
        if !post({ _ in [event] }) {
            connect()
            post { _ in [event] }
        }
    }

    /// Returns the number of the given presenter; `nil` if it is not registered.
    func number(of presenter: ObjectIdentifier?) -> UInt64? {
        presenter.flatMap { object in state.withLock { $0.presenterNumbers[object] } }
    }

    /// Returns the source location of the given claim. If another process made the claim, blocks until that process
    /// replies or the daemon stops waiting for the reply.
    func place(of claim: OtherClaim) -> String {
        guard let client = claim.client else {
            return placeOfClaim(claim.number) ?? "unknown, because the claim has ended"
        }
        let authority = state.withLock { state -> (any CoordinationAuthority)? in
            if case .connected(let authority, _) = state.link { authority } else { nil }
        }
        let answer = Lock<String?>(nil)
        let answered = Latch()
        authority?.findPlace(ofClaim: claim.number, of: client) { words in
            answer.withLock { $0 = words }
            answered.open()
        }
        if authority != nil { answered.wait() }
        return answer.withLock { $0 } ?? "a place in another program"
    }

    /// Returns the source location of this process's claim with the given number; `nil` if the claim no longer exists.
    /// Computing the location is slow.
    func placeOfClaim(_ number: UInt64) -> String? {
        state.withLock { $0.claims[number] }?.site.words
    }

    // MARK: Effects of the authority

    /// Handles effects from the authority with the given epoch. Called on one thread at a time.
    func receive(_ effects: [CoordinationEffect], epoch: UInt64) {
        for effect in effects {
            guard state.withLock({ $0.epoch == epoch }) else { return }
            switch effect {
            case .granted(let claim, let paths, let keys, let hasWaited):
                guard let ticket = state.withLock({ $0.claims[claim] }) else { break }
                let places = zip(paths, keys).map { GrantedItem(path: $0, key: $1) }
                ticket.finish(.granted(places.isEmpty ? ticket.askedPlaces : places, hasWaited: hasWaited))
            case .denied(let claim, let denial):
                state.withLock { $0.claims.removeValue(forKey: claim) }?.finish(.denied(denial))
            case .prepare(let preparation): prepare(preparation)
            case .reacquire(let preparation): reacquire(preparation)
            case .notify(let presenter, let notice): messenger(presenter)?.tell(notice)
            }
        }
    }
}

extension ProcessCoordination {
    /// Handles an event that cannot be sent. Ensures that neither this process nor the authority waits for the effects
    /// of the event.
    func giveUp(_ event: CoordinationEvent, _ reason: UnsendableEventError, on authority: any CoordinationAuthority) {
        switch event {
        case .claim(let request):
            state.withLock { $0.claims.removeValue(forKey: request.number) }?
                .finish(.denied(.refused(reason: reason.words)))
        case .release(let claim, let outcomes) where !outcomes.isEmpty:
            Self.log.error("presenters cannot be notified of a change: \(reason.words, privacy: .public)")
            retry(.release(claim: claim, outcomes: []), on: authority)
        default:
            Self.log.error("a message to the Purvey daemon was not sent: \(reason.words, privacy: .public)")
        }
    }

    private func retry(_ event: CoordinationEvent, on authority: any CoordinationAuthority) {
        do { try authority.send(event) } catch { giveUp(event, error, on: authority) }
    }
}

/// Marks the claims that a provider makes while it handles a notification of a changed file: on the thread that handles
/// the notification, and in tasks started there. The process that changed the file waits until the provider has handled
/// the notification. Without the mark, the provider's claim to read the file would wait for that process, and both
/// would be in a deadlock.
///
/// Claims on other threads of the provider cannot be distinguished from unrelated claims, and wait as usual.
package final class ChangeNoting: Sendable {
    @TaskLocal private static var current: ChangeNoting?

    private let isOver = Lock(false)

    private init() {}

    /// Whether the caller handles a notification that has not ended. A task that was started within a notification may
    /// continue after the notification has ended. From then on, the task's claims are not marked.
    static var isUnderWay: Bool { current.map { noting in !noting.isOver.withLock { $0 } } ?? false }

    /// Runs a function that notifies a provider, and marks the claims that are made during the call.
    package static func run(_ body: () -> Void) {
        let noting = ChangeNoting()
        defer { noting.isOver.withLock { $0 = true } }
        $current.withValue(noting, operation: body)
    }
}
