import LinuxSystem
import OSLog

/// An arbiter with what it does not have itself: a lock, a clock, and a way to the processes.
///
/// Effects reach each process in the order in which the arbiter had them, one after the other, outside of the lock. Any thread
/// may use it; whoever delivers must not block.
package final class ArbiterHost: Sendable {
    package typealias Delivery = @Sendable (_ client: UInt64, _ effects: [CoordinationEffect]) -> Void

    private struct State {
        var arbiter = Arbiter()
        var undelivered: [AddressedEffect] = []
        var isDelivering = false
        /// When presenters are not waited for any longer, by what they are asked.
        var deadlines: [UInt64: Deadlines.Entry] = [:]
    }

    // Effects are delivered after it is released. Only the lock of the deadlines is taken inside of it.
    private let state = Lock(State())
    private let deliver: Delivery
    private static let log = Logger(subsystem: "Purvey", category: "FileCoordination")

    package init(deliver: @escaping Delivery) { self.deliver = deliver }

    /// Deals with what a process says.
    package func apply(_ event: CoordinationEvent, from client: UInt64) {
        change { $0.apply(event, from: client) }
    }

    /// A connection of a process that may have several. Returns `false` if those are too many.
    package func begin(client: UInt64, of process: UInt64) -> Bool {
        state.withLock { $0.arbiter.begin(client: client, of: process) }
    }

    /// A process that is about to take part is confined to a folder.
    package func confine(_ client: UInt64, to folder: ExactPath, and groups: [ExactPath] = []) {
        state.withLock { $0.arbiter.confine(client, to: folder, and: groups) }
    }

    /// A process has gone.
    package func end(client: UInt64) { change { $0.end(client: client) } }

    /// A process cannot be reached, but goes on using what it was granted. Returns whether it was granted anything.
    package func suspend(client: UInt64) -> Bool {
        change { $0.end(client: client, keepingGranted: true) }
        return state.withLock { $0.arbiter.claimCount(of: client) } > 0
    }

    /// Ends a claim whose user cannot be told how it was granted.
    package func refuse(_ claim: UInt64, of client: UInt64, _ reason: String) {
        change { arbiter in
            arbiter.apply(.cancel(claim: claim), from: client)
                + [AddressedEffect(client: client, effect: .denied(claim: claim, .refused(reason: reason)))]
        }
    }

    /// How many claims there are, granted and waiting.
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
        // Otherwise another thread is at it, and delivers these as well.
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

    /// Waits for a presenter only so long.
    private func limit(_ preparation: Preparation) {
        let (number, milliseconds) = (preparation.number, preparation.timeLimit)
        state.withLock { state in
            // Another thread may have dealt with its answer, or its end, meanwhile.
            guard state.arbiter.waits(forPreparation: number) else { return }
            // Not on a dispatch queue: calls that wait for the presenter may have taken all the threads that those have.
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
