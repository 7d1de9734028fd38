import Dispatch
import LinuxSystem

/// A drag on the board of drags, from its publication until its removal.
///
/// The drag is removed by ``withdraw()``, or else when the last reference to this object is released. Contents that
/// were put on the board later are not removed.
final class DragPublication: Sendable {
    private enum State {
        case new
        /// The drag is on the board. The value is the board's change count.
        case published(Int)
        case withdrawn
    }

    private let boards: any ItemBoards
    // Leaf lock: boards are used after it is released.
    private let state = Lock((publication: State.new, hasEnded: false))

    init(_ boards: any ItemBoards) { self.boards = boards }

    deinit {
        // The last reference may be released on a thread that must not block.
        guard let changeCount = withdrawing() else { return }
        DispatchQueue.global().async { [boards] in
            _ = try? boards.amend(DragOperation.board, with: [], expecting: changeCount)
        }
    }

    /// Whether the drag is over, so that it cannot be dropped any more.
    var hasEnded: Bool { state.withLock { $0.hasEnded } }

    func end() { state.withLock { $0.hasEnded = true } }

    func published(_ changeCount: Int) { state.withLock { $0.publication = .published(changeCount) } }

    /// Removes the drag from the board. Blocks for the daemon's reply.
    func withdraw() {
        guard let changeCount = withdrawing() else { return }
        _ = try? boards.amend(DragOperation.board, with: [], expecting: changeCount)
    }

    private func withdrawing() -> Int? {
        state.withLock { state in
            guard case .published(let changeCount) = state.publication else { return nil }
            state.publication = .withdrawn
            return changeCount
        }
    }
}
