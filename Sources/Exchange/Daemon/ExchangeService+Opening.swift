import Conduit
import Foundation
import LinuxSystem
import Synchronization

/// Consumers on their way to one provider's process.
///
/// Only so many are sent at a time, because a process that is stopped does not take them in, and its socket has to
/// stay usable until it goes on.
struct OpenQueue {
    /// A consumer that waits to be introduced.
    struct Waiting: Sendable {
        let call: ServedCall<OpenCall>
        let identifier: UUID
        let permitted: [Int]
    }

    var waiting: [Waiting] = []
    /// How many were sent and are not yet taken in.
    var inFlight = 0
}

extension ExchangeService {
    /// Introduces a consumer to the process that offers an item.
    func open(_ identifier: UUID, _ call: ServedCall<OpenCall>) {
        let (asker, entry) = state.withLock { state in
            (state.numbers[call.connection].flatMap { state.clients[$0] }, state.table.entry(identifier))
        }
        guard let asker else { return }
        guard let entry else { return call.fail(.noSuchItem) }
        var judge = VisibilityJudge(self, asker: asker)
        let permitted = judge.visible(entry).map(\.index)
        // Whoever may see nothing of an item does not learn that it exists.
        guard !permitted.isEmpty else { return call.fail(.noSuchItem) }

        if entry.owner == Self.daemon {
            guard let offer = state.withLock({ $0.holdings.offer(identifier) }) else { return call.fail(.noSuchItem) }
            return introduce(call) { socket throws(Errno) in try offer.accept(socket, permitted: Set(permitted)) }
        }
        let isFull = state.withLock { state in
            guard state.queues[entry.owner, default: OpenQueue()].waiting.count < limits.opensWaiting else {
                return true
            }
            state.queues[entry.owner, default: OpenQueue()].waiting.append(
                .init(call: call, identifier: identifier, permitted: permitted))
            return false
        }
        if isFull {
            return call.fail(
                .providerUnavailable(
                    "the process that offers the item does not answer; \(limits.opensWaiting) others wait for it"))
        }
        sendWaiting(to: entry.owner)
    }

    /// Sends as many waiting consumers to a provider as it may have on their way.
    private func sendWaiting(to owner: UInt64) {
        while true {
            let next = state.withLock { state -> (OpenQueue.Waiting, Connection)? in
                guard let provider = state.clients[owner]?.connection, var queue = state.queues[owner] else {
                    return nil
                }
                state.queues[owner] = nil
                queue.waiting.removeAll { $0.call.isCancelled }
                guard queue.inFlight < limits.opensInFlight, !queue.waiting.isEmpty else {
                    if queue.inFlight > 0 || !queue.waiting.isEmpty { state.queues[owner] = queue }
                    return nil
                }
                let open = queue.waiting.removeFirst()
                queue.inFlight += 1
                state.queues[owner] = queue
                return (open, provider)
            }
            guard let (open, provider) = next else { return }
            introduce(open.call) { socket in
                provider.call(
                    AcceptConsumerCall(identifier: open.identifier, socket: socket, permitted: open.permitted)
                ) { _ in
                    // Whatever the answer: a provider that does not take the socket closes it, and the consumer sees that.
                    self.state.withLock { $0.queues[owner]?.inFlight -= 1 }
                    self.sendWaiting(to: owner)
                }
            }
        }
    }

    /// Makes a socket pair, gives one end to the provider's side and the other to the consumer.
    private func introduce(_ call: ServedCall<OpenCall>, _ deliver: (FileDescriptor) throws(Errno) -> Void) {
        do throws(Errno) {
            let (consumers, providers) = try SequencedPacketSocket.pair()
            try deliver(providers.descriptor)
            call.reply(OpenCall.Reply(socket: consumers.descriptor))
        } catch {
            call.fail(.providerUnavailable("the process that offers the item cannot be reached: \(error)"))
        }
    }
}
