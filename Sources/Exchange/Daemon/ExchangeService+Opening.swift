import Conduit
import Foundation
import ItemProvider
import LinuxSystem
import Synchronization

/// The queue of consumers that want to connect to one process that offers items.
///
/// Only a limited number of consumers is sent to the process before it has accepted them. A suspended process does not
/// accept consumers. Without the limit, its socket would fill up before the process continues.
struct OpenQueue {
    /// A consumer that waits for its socket to the offering process.
    struct PendingOpen: Sendable {
        let call: ServedCall<OpenCall>
        let identifier: UUID
        let permitted: [Int]
    }

    var waiting = FIFOQueue<PendingOpen>()
    /// The number of consumers that were sent to the offering process and that it has not accepted yet.
    var inFlight = 0
}

extension ExchangeService {
    /// Connects a consumer to the process that offers an item.
    func open(_ identifier: UUID, _ call: ServedCall<OpenCall>) {
        let (asker, entry) = state.withLock { state in
            (state.numbers[call.connection].flatMap { state.clients[$0] }, state.table.entry(identifier))
        }
        guard let asker else { return }
        guard let entry else { return call.fail(.noSuchItem) }
        judging([entry]) {
            var judge = VisibilityJudge(self, asker: asker)
            let permitted = judge.visible(entry).map(\.index)
            // A process that may see no representation of an item must not learn that the item exists.
            guard !permitted.isEmpty else { return call.fail(.noSuchItem) }
            self.open(entry, permitted: permitted, call)
        }
    }

    private func open(_ entry: BoardTable.Entry, permitted: [Int], _ call: ServedCall<OpenCall>) {
        let identifier = entry.manifest.identifier
        if entry.owner == Self.daemon {
            guard let offer = state.withLock({ $0.holdings.offer(identifier) }) else { return call.fail(.noSuchItem) }
            introduce(call) { socket throws(Errno) in try offer.accept(socket, permitted: Set(permitted)) }
            return
        }
        enum Place {
            case waits
            case isFull
            case isGone
        }
        let place = state.withLock { state -> Place in
            guard state.clients[entry.owner] != nil else { return .isGone }
            var queue = state.queues.removeValue(forKey: entry.owner) ?? OpenQueue()
            if queue.waiting.count >= limits.opensWaiting { queue.waiting.removeAll { $0.call.isCancelled } }
            let isFull = queue.waiting.count >= limits.opensWaiting
            if !isFull { queue.waiting.append(.init(call: call, identifier: identifier, permitted: permitted)) }
            state.queues[entry.owner] = queue
            return isFull ? .isFull : .waits
        }
        switch place {
        case .waits: sendWaiting(to: entry.owner)
        case .isGone: call.fail(.noSuchItem)
        case .isFull:
            call.fail(
                .providerUnavailable(
                    "the process that offers the item does not answer; \(limits.opensWaiting) others wait for it"))
        }
    }

    /// Sends waiting consumers to the process that offers their items, up to the limit.
    private func sendWaiting(to owner: UInt64) {
        while true {
            let next = state.withLock { state -> (OpenQueue.PendingOpen, Connection)? in
                guard let provider = state.clients[owner]?.connection,
                    var queue = state.queues.removeValue(forKey: owner)
                else { return nil }
                var next: OpenQueue.PendingOpen?
                while queue.inFlight < limits.opensInFlight, next == nil, let open = queue.waiting.popFirst() {
                    if !open.call.isCancelled { next = open }
                }
                if next != nil { queue.inFlight += 1 }
                if queue.inFlight > 0 || !queue.waiting.isEmpty { state.queues[owner] = queue }
                return next.map { ($0, provider) }
            }
            guard let (open, provider) = next else { return }
            let isSent = introduce(open.call) { socket in
                provider.call(
                    AcceptConsumerCall(identifier: open.identifier, socket: socket, permitted: open.permitted)
                ) { _ in
                    // The reply does not matter: a provider that refuses the socket closes it, and the consumer sees
                    // that.
                    self.state.withLock { $0.queues[owner]?.inFlight -= 1 }
                    self.sendWaiting(to: owner)
                }
            }
            if !isSent { state.withLock { $0.queues[owner]?.inFlight -= 1 } }
        }
    }

    /// Creates a socket pair. Passes one end to the offering process, with `deliver`, and the other end to the
    /// consumer, as the reply to `call`.
    ///
    /// - Returns: whether `deliver` was called and has succeeded. If not, the call has failed.
    @discardableResult
    private func introduce(_ call: ServedCall<OpenCall>, _ deliver: (FileDescriptor) throws(Errno) -> Void) -> Bool {
        do throws(Errno) {
            let (consumers, providers) = try SequencedPacketSocket.pair()
            try deliver(providers.descriptor)
            call.reply(OpenCall.Reply(socket: consumers.descriptor))
            return true
        } catch {
            call.fail(.providerUnavailable("the process that offers the item cannot be reached: \(error)"))
            return false
        }
    }
}

/// A first-in, first-out queue. Adding and removing one element take constant time.
struct FIFOQueue<Element> {
    private var elements: [Element?] = []
    /// The index of the first element. The elements before it were removed.
    private var head = 0

    var isEmpty: Bool { head == elements.count }
    var count: Int { elements.count - head }

    mutating func append(_ element: Element) { elements.append(element) }

    mutating func popFirst() -> Element? {
        guard head < elements.count else { return nil }
        defer {
            elements[head] = nil
            head += 1
            // Amortized: moving the rest costs no more than the removals since the last move.
            if head * 2 > elements.count {
                elements.removeFirst(head)
                head = 0
            }
        }
        return elements[head]
    }

    /// Removes the elements for which the given function returns `true`.
    mutating func removeAll(where isGone: (Element) -> Bool) {
        elements = elements[head...].filter { element in element.map { !isGone($0) } ?? false }
        head = 0
    }

    /// All elements, the first one first.
    var all: [Element] { elements[head...].compactMap { $0 } }
}
