import Dispatch
import LinuxSystem

/// A drag on the board of drags, from its publication until it is taken off.
///
/// It is taken off at the latest with the last reference to this. What somebody else has put on the board since stays.
final class DragPublication: Sendable {
    private enum State {
        case new
        /// With the board's change count.
        case published(Int)
        case withdrawn
    }

    private let boards: any ItemBoards
    // Innermost: boards are used after it is released.
    private let state = Lock((publication: State.new, hasEnded: false))

    init(_ boards: any ItemBoards) { self.boards = boards }

    deinit {
        // Whoever lets go last may not be one that can wait.
        guard let changeCount = withdrawing() else { return }
        DispatchQueue.global().async { [boards] in
            _ = try? boards.amend(DragOperation.board, with: [], expecting: changeCount)
        }
    }

    /// Whether the drag is over, so that it cannot be dropped any more.
    var hasEnded: Bool { state.withLock { $0.hasEnded } }

    func end() { state.withLock { $0.hasEnded = true } }

    func published(_ changeCount: Int) { state.withLock { $0.publication = .published(changeCount) } }

    /// Takes the drag off the board. Blocks for the daemon's answer.
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
