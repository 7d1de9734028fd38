import LinuxSystem
import OSLog

/// Protects an arbiter with a lock, delivers its effects, and ends preparations that take too long.
///
/// Each process gets its effects in the order in which the arbiter returns them, from one thread at a time. The lock is
/// not held during delivery. Any thread may use the host. The closure that delivers effects must not block.
package final class ArbiterHost: Sendable {
    package typealias Delivery = @Sendable (_ client: UInt64, _ effects: [CoordinationEffect]) -> Void

    private struct State {
        var arbiter = Arbiter()
        var undelivered: [AddressedEffect] = []
        var isDelivering = false
        /// The timeouts of unanswered preparations.
        var deadlines: [UInt64: Deadlines.Entry] = [:]
    }

    // Effects are delivered after this lock is released. Only the lock of the deadlines is taken while it is held.
    private let state = Lock(State())
    private let deliver: Delivery
    private static let log = Logger(subsystem: "Purvey", category: "FileCoordination")

    package init(deliver: @escaping Delivery) { self.deliver = deliver }

    /// Applies an event from a process.
    package func apply(_ event: CoordinationEvent, from client: UInt64) {
        change { $0.apply(event, from: client) }
    }

    /// Adds a connection of a process. Returns `false` if the process has too many connections.
    package func begin(client: UInt64, of process: UInt64) -> Bool {
        state.withLock { $0.arbiter.begin(client: client, of: process) }
    }

    /// Limits a new client to the given directories; see ``Arbiter/confine(_:to:and:)``.
    package func confine(_ client: UInt64, to folder: ExactPath, and groups: [ExactPath] = []) {
        state.withLock { $0.arbiter.confine(client, to: folder, and: groups) }
    }

    /// Ends the claims and presenters of a client that has disconnected.
    package func end(client: UInt64) { change { $0.end(client: client) } }

    /// Ends the presenters and waiting claims of a client that is unreachable. Its granted claims remain, because the
    /// client continues to use the items. Returns whether the client has granted claims.
    package func suspend(client: UInt64) -> Bool {
        change { $0.end(client: client, keepingGranted: true) }
        return state.withLock { $0.arbiter.claimCount(of: client) } > 0
    }

    /// Ends a granted claim whose grant cannot be sent to the client, and sends a denial instead.
    package func refuse(_ claim: UInt64, of client: UInt64, _ reason: String) {
        change { arbiter in
            arbiter.apply(.cancel(claim: claim), from: client)
                + [AddressedEffect(client: client, effect: .denied(claim: claim, .refused(reason: reason)))]
        }
    }

    /// The number of granted and waiting claims.
    package var claimCount: Int { state.withLock { $0.arbiter.claimCount } }

    private func change(_ body: (inout Arbiter) -> [AddressedEffect]) {
        let isOurs = state.withLock { state in
            state.undelivered += body(&state.arbiter)
            for number in state.arbiter.settledPreparations {
                if let entry = state.deadlines.removeValue(forKey: number) { Deadlines.shared.cancel(entry) }
            }
            if state.isDelivering || state.undelivered.isEmpty { return false }
            state.isDelivering = true
            return true
        }
        // If another thread is delivering, it delivers these effects as well.
        if isOurs { deliverAll() }
    }

    private func deliverAll() {
        while true {
            let effects = state.withLock { state in
                defer { state.undelivered = [] }
                if state.undelivered.isEmpty { state.isDelivering = false }
                return state.undelivered
            }
            if effects.isEmpty { return }
            var position = effects.startIndex
            while position < effects.endIndex {
                let client = effects[position].client
                let end = effects[position...].firstIndex { $0.client != client } ?? effects.endIndex
                let batch = effects[position..<end].map(\.effect)
                for case .prepare(let preparation) in batch { limit(preparation) }
                deliver(client, batch)
                position = end
            }
        }
    }

    /// Sets the timeout of a preparation.
    private func limit(_ preparation: Preparation) {
        let (number, milliseconds) = (preparation.number, preparation.timeLimit)
        state.withLock { state in
            // Another thread may have handled the reply, or the claim's end, meanwhile.
            guard state.arbiter.waits(forPreparation: number) else { return }
            // A dispatch queue is not used, because calls that wait for the presenter may occupy all of its threads.
            state.deadlines[number] = Deadlines.shared.run(after: .milliseconds(milliseconds)) { [weak self] in
                self?.expire(number, milliseconds)
            }
        }
    }

    private func expire(_ number: UInt64, _ milliseconds: Int) {
        var path: String?
        change { arbiter in
            guard let expired = arbiter.expire(preparation: number) else { return [] }
            path = expired.path
            return expired.effects
        }
        guard let path else { return }
        let seconds = Double(milliseconds) / 1000
        Self.log.error(
            "the presenter of \(path, privacy: .public) has not answered for \(seconds) s; it is not waited for any longer"
        )
    }
}
