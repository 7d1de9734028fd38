import CLateBinding
import Foundation
import ItemProvider
import LinuxSystem

/// Where pasteboards and drags keep their items: named boards.
///
/// Every function may block for as long as another process takes to answer, and may be called from any thread that may block.
package protocol ItemBoards: Sendable {
    /// The items of a board, as far as this process may see them.
    func items(of board: String) throws -> [NSItemProvider]
    /// Puts items on a board, in place of what was there. What cannot be offered is left out. Where the rest is refused, nothing
    /// is there any more.
    ///
    /// - Parameter staysAfterwards: whether the items are to be fulfilled when this process ends, so that they outlive it.
    /// - Returns: the change count that the board has with them.
    @discardableResult
    func replace(_ board: String, with items: [NSItemProvider], staysAfterwards: Bool) throws -> Int
    /// Puts items on a board, in place of those that the same process put there and without a new change count: it goes on with
    /// what it has begun.
    ///
    /// - Parameter changeCount: that of the board as this process left it.
    /// - Returns: `false` where the board has changed since, and stays as it is.
    func amend(_ board: String, with items: [NSItemProvider], expecting changeCount: Int) throws -> Bool
    /// Grows whenever the contents of the board change, but for what is amended.
    func changeCount(of board: String) throws -> Int
    /// Whether something was put on the board since it was last removed, as far as is remembered.
    func isTouched(_ board: String) throws -> Bool
    /// Takes everything off a board, which then is as one that was never used.
    func remove(_ board: String) throws
}

/// The boards of this process.
package enum SharedBoards {
    /// Those of all processes of the user where the program is linked with what reaches them, else those of this process
    /// alone.
    package static let current: any ItemBoards = {
        guard let pointer = clate_shared_boards() else { return LocalBoards() }
        // Whoever defines that function gives a retained object of this class.
        return Unmanaged<BoardsBox>.fromOpaque(pointer).takeRetainedValue().boards
    }()
}

/// Boards as an object, on their way through a C function.
package final class BoardsBox: Sendable {
    package let boards: any ItemBoards

    package init(_ boards: any ItemBoards) { self.boards = boards }
}

/// Boards within one process.
package final class LocalBoards: ItemBoards {
    private struct Contents {
        var promises: [ItemPromise] = []
        var changeCount = 0
        var isRemoved = false
    }

    // Innermost.
    private let boards = Lock<[String: Contents]>([:])

    package init() {}

    package func items(of board: String) -> [NSItemProvider] {
        boards.withLock { $0[board]?.promises ?? [] }.map { NSItemProvider(promise: $0) }
    }

    package func replace(_ board: String, with items: [NSItemProvider], staysAfterwards: Bool) -> Int {
        let promises = items.map(\.promise).offerable
        // What was there goes after the lock is released: its handlers may hold whatever client code put into them.
        let (count, _) = boards.withLock { boards in
            let old = boards[board, default: Contents()]
            boards[board] = Contents(promises: promises, changeCount: old.changeCount + 1)
            return (old.changeCount + 1, old)
        }
        return count
    }

    package func amend(_ board: String, with items: [NSItemProvider], expecting changeCount: Int) -> Bool {
        let promises = items.map(\.promise).offerable
        let old = boards.withLock { boards -> Contents? in
            guard let old = boards[board], old.changeCount == changeCount else { return nil }
            boards[board] = Contents(promises: promises, changeCount: changeCount)
            return old
        }
        return old != nil
    }

    package func changeCount(of board: String) -> Int { boards.withLock { $0[board]?.changeCount ?? 0 } }

    package func isTouched(_ board: String) -> Bool {
        boards.withLock { $0[board].map { !$0.isRemoved } ?? false }
    }

    package func remove(_ board: String) {
        // As above.
        _ = boards.withLock { boards -> Contents? in
            guard let old = boards[board] else { return nil }
            boards[board] = Contents(changeCount: old.changeCount + 1, isRemoved: true)
            return old
        }
    }
}
