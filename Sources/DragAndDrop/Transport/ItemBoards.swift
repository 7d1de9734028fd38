import CLateBinding
import Foundation
import ItemProvider
import Synchronization

/// Where pasteboards and drags keep their items: named boards.
///
/// Every function may block for as long as another process takes to answer, and may be called from any thread that may block.
package protocol ItemBoards: Sendable {
    /// The items of a board, as far as this process may see them.
    func items(of board: String) throws -> [NSItemProvider]
    /// Puts items on a board, in place of what was there.
    ///
    /// - Parameter staysAfterwards: whether the items are to be fulfilled when this process ends, so that they outlive it.
    func replace(_ board: String, with items: [NSItemProvider], staysAfterwards: Bool) throws
    /// Grows whenever the contents of the board change.
    func changeCount(of board: String) throws -> Int
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
    }

    // Innermost.
    private let boards = Mutex<[String: Contents]>([:])

    package init() {}

    package func items(of board: String) -> [NSItemProvider] {
        boards.withLock { $0[board]?.promises ?? [] }.map { NSItemProvider(promise: $0) }
    }

    package func replace(_ board: String, with items: [NSItemProvider], staysAfterwards: Bool) {
        let promises = items.map(\.promise)
        boards.withLock {
            $0[board, default: Contents()].promises = promises
            $0[board, default: Contents()].changeCount += 1
        }
    }

    package func changeCount(of board: String) -> Int { boards.withLock { $0[board]?.changeCount ?? 0 } }
}
