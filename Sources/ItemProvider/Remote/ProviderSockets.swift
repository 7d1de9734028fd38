import Dispatch
import LinuxSystem

/// The sockets of this process to providers of items, limited in number.
///
/// An item keeps its socket for the next load. At the limit, unused sockets are closed, the least recently used first.
/// An item that has lost its socket requests another one. If all sockets are in use, a load waits for a moment and then
/// gets an additional socket, up to twice the limit. Therefore a few providers that do not reply delay only their own
/// loads.
final class ProviderSockets: Sendable {
    private struct Idle {
        weak var item: RemoteItem?
        let order: UInt64
    }

    private struct State {
        var open = 0
        /// Items with a socket that was unused when they were recorded.
        var idle: [ObjectIdentifier: Idle] = [:]
        var order: UInt64 = 0
        /// The functions that wait until they may open a socket, in order, each with a unique number.
        var waiting: [(number: UInt64, open: @Sendable () -> Void)] = []
        var nextNumber: UInt64 = 0
    }

    // Leaf lock: items and sockets are used after it is released.
    private let state = Lock(State())
    private let limit: Int
    private let patience: DispatchTimeInterval

    /// The sockets of this process. Their limit is low because a load takes several descriptors in addition to its
    /// socket, and the rest of the program needs descriptors, too. The provider has the other end of each socket, and
    /// may have a lower limit.
    static let shared = ProviderSockets(
        limit: min(max(Int(clamping: ResourceLimit.descriptors.current ?? .max) / 4, 16), 256))

    /// Creates an empty set of sockets with its limits.
    ///
    /// - Parameters:
    ///   - limit: the maximum number of open sockets. A load that has waited may exceed it, up to twice the number.
    ///   - patience: the time that a load waits for a socket when all are in use.
    init(limit: Int, patience: DispatchTimeInterval = .seconds(1)) {
        self.limit = limit
        self.patience = patience
    }

    /// Calls a function that opens a socket, as soon as the limit permits. ``release()`` must be called when the socket
    /// was closed or could not be opened.
    func acquire(_ open: @escaping @Sendable () -> Void) {
        let number: UInt64? = state.withLock { state in
            guard state.open >= limit else {
                state.open += 1
                return nil
            }
            state.nextNumber += 1
            state.waiting.append((state.nextNumber, open))
            return state.nextNumber
        }
        guard let number else { return open() }
        openAnyway(number)
        closeOne()
    }

    /// Opens an additional socket after the wait. If the doubled limit is reached, too, waits again.
    private func openAnyway(_ number: UInt64) {
        DispatchQueue.global().asyncAfter(deadline: .now() + patience) { [self] in
            let (isWaiting, waiter) = state.withLock { state -> (Bool, (@Sendable () -> Void)?) in
                guard let place = state.waiting.firstIndex(where: { $0.number == number }) else { return (false, nil) }
                guard state.open < 2 * limit else { return (true, nil) }
                state.open += 1
                return (false, state.waiting.remove(at: place).open)
            }
            waiter?()
            if isWaiting { openAnyway(number) }
        }
    }

    /// Records that a socket was closed, or could not be opened.
    func release() {
        let next = state.withLock { state -> (@Sendable () -> Void)? in
            state.open -= 1
            guard state.open < limit, !state.waiting.isEmpty else { return nil }
            state.open += 1
            return state.waiting.removeFirst().open
        }
        next?()
    }

    /// Records that an item's socket is not used any more.
    func becameIdle(_ item: RemoteItem) {
        let isNeeded = state.withLock { state in
            state.order += 1
            state.idle[ObjectIdentifier(item)] = Idle(item: item, order: state.order)
            return !state.waiting.isEmpty
        }
        if isNeeded { closeOne() }
    }

    /// Removes the record of an item that was released and has closed its socket.
    func forget(_ item: ObjectIdentifier) {
        _ = state.withLock { $0.idle.removeValue(forKey: item) }
    }

    /// Closes the least recently used of the unused sockets.
    private func closeOne() {
        while let item = takeLongestIdle() {
            if item.closeIfIdle() { return }
        }
    }

    private func takeLongestIdle() -> RemoteItem? {
        state.withLock { state in
            while let (key, idle) = state.idle.min(by: { $0.value.order < $1.value.order }) {
                state.idle[key] = nil
                if let item = idle.item { return item }
            }
            return nil
        }
    }
}
