import Dispatch
import LinuxSystem

/// The sockets of this process to those that have promised items to it, kept within what it may have open.
///
/// An item keeps its socket for the next load. When too many are open, those that nobody uses are closed, the one that was
/// used longest ago first; an item that has lost its socket asks for another. When all are in use, whoever needs one waits
/// for a moment, and then gets one of as many again: a few providers that do not answer hold up only their own loads.
final class ProviderSockets: Sendable {
    private struct Idle {
        weak var item: RemoteItem?
        let order: UInt64
    }

    private struct State {
        var open = 0
        /// Items with a socket that nobody used when they were noted.
        var idle: [ObjectIdentifier: Idle] = [:]
        var order: UInt64 = 0
        /// Those that wait to open one, in order, by number.
        var waiting: [(number: UInt64, open: @Sendable () -> Void)] = []
        var nextNumber: UInt64 = 0
    }

    // Innermost: items and sockets are used after it is released.
    private let state = Lock(State())
    private let limit: Int
    private let patience: DispatchTimeInterval

    /// Those of the process. A load takes several descriptors besides its socket, and the rest of the program has its own; the
    /// provider has the other end of each, and may be allowed fewer.
    static let shared = ProviderSockets(
        limit: min(max(Int(clamping: ResourceLimit.descriptors.current ?? .max) / 4, 16), 256))

    /// - Parameters:
    ///   - limit: how many may be open, and twice as many after a wait.
    ///   - patience: how long to wait for one of those when all are in use.
    init(limit: Int, patience: DispatchTimeInterval = .seconds(1)) {
        self.limit = limit
        self.patience = patience
    }

    /// Calls a function that opens a socket, when there is room for one. Whatever becomes of it, ``release()`` follows.
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

    /// Gives one that waits a socket of the second half when its patience is over, and as often again as that is full too.
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

    /// A socket has been closed, or could not be opened.
    func release() {
        let next = state.withLock { state -> (@Sendable () -> Void)? in
            state.open -= 1
            guard state.open < limit, !state.waiting.isEmpty else { return nil }
            state.open += 1
            return state.waiting.removeFirst().open
        }
        next?()
    }

    /// Nobody uses an item's socket any more.
    func becameIdle(_ item: RemoteItem) {
        let isNeeded = state.withLock { state in
            state.order += 1
            state.idle[ObjectIdentifier(item)] = Idle(item: item, order: state.order)
            return !state.waiting.isEmpty
        }
        if isNeeded { closeOne() }
    }

    /// An item is no more, and has closed its socket.
    func forget(_ item: ObjectIdentifier) {
        _ = state.withLock { $0.idle.removeValue(forKey: item) }
    }

    /// Closes the socket that was used longest ago, of those that nobody uses.
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
