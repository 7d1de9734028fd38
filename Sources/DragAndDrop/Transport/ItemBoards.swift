import CRuntimeSupport
import Foundation
import ItemProvider
import LinuxSystem

/// The storage of the items of pasteboards and drags: named boards.
///
/// Every function may block until another process replies. It can be called on any thread that is allowed to block.
package protocol ItemBoards: Sendable {
    /// Returns those items of a board that this process may see.
    func items(of board: String) throws -> [NSItemProvider]
    /// Replaces the contents of a board with items. Items that cannot be offered are left out. If the other items are
    /// refused, the board is empty afterwards.
    ///
    /// - Parameter staysAfterwards: whether the promised data is produced and stored when this process ends, so that
    ///   the items outlive it.
    /// - Returns: the new change count of the board.
    @discardableResult
    func replace(_ board: String, with items: [NSItemProvider], staysAfterwards: Bool) throws -> Int
    /// Replaces the items that this process put on a board, as a continuation of its earlier write. The change count
    /// stays the same.
    ///
    /// - Parameter changeCount: the change count of the board after this process's last write.
    /// - Returns: `false` if the board has changed since that write. In this case nothing is replaced.
    func amend(_ board: String, with items: [NSItemProvider], expecting changeCount: Int) throws -> Bool
    /// Returns a number that grows whenever the contents of the board change, except by ``amend(_:with:expecting:)``.
    func changeCount(of board: String) throws -> Int
    /// Whether a process has written to the board since the board was last removed. Returns `false` if this is no
    /// longer recorded: the records of empty boards may be dropped.
    func isTouched(_ board: String) throws -> Bool
    /// Removes the contents of a board. The board then counts as never used.
    func remove(_ board: String) throws
}

/// The boards that this process uses.
package enum SharedBoards {
    /// The boards of all processes of the user, if the program is linked with the module `Exchange`; otherwise the
    /// boards of this process.
    package static let current: any ItemBoards = {
        guard let pointer = clate_shared_boards() else { return LocalBoards() }
        // The C function calls a function of `Exchange`, which returns a retained `BoardsBox`.
        return Unmanaged<BoardsBox>.fromOpaque(pointer).takeRetainedValue().boards
    }()
}

/// Boards as an object, which can be passed through a C function.
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

    // Leaf lock.
    private let boards = Lock<[String: Contents]>([:])

    package init() {}

    package func items(of board: String) -> [NSItemProvider] {
        boards.withLock { $0[board]?.promises ?? [] }.map { NSItemProvider(promise: $0) }
    }

    package func replace(_ board: String, with items: [NSItemProvider], staysAfterwards: Bool) -> Int {
        let promises = items.map(\.promise).offerable
        // The old contents are released after the lock, because this may deinitialize objects of client code.
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
        // The old contents are released after the lock, as in `replace`.
        _ = boards.withLock { boards -> Contents? in
            guard let old = boards[board] else { return nil }
            boards[board] = Contents(changeCount: old.changeCount + 1, isRemoved: true)
            return old
        }
    }
}
