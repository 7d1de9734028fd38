import Dispatch
import DragAndDrop
import Foundation
import ItemProvider
import LinuxSystem

/// Implements pasteboards and drags with the daemon's boards.
struct SharedItemBoards: ItemBoards {
    func items(of board: String) throws -> [NSItemProvider] {
        let items = try Self.waitFor { completion in
            ExchangeClient.shared.items(on: board) { completion($0.mapError { $0 }) }
        }
        return items.map { $0.makeProvider() }
    }

    func replace(_ board: String, with items: [NSItemProvider], staysAfterwards: Bool) throws -> Int {
        let promises = items.map(\.promise).offerable
        do {
            let count = try put(promises, on: board)
            if staysAfterwards { ExchangeClient.shared.handOverAtExit() }
            return count
        } catch ExchangeError.refused(let reason) {
            // The former contents must not be read any more.
            if !promises.isEmpty { _ = try put([], on: board) }
            throw ExchangeError.refused(reason)
        }
    }

    private func put(_ promises: [ItemPromise], on board: String) throws -> Int {
        try Self.waitFor { completion in
            ExchangeClient.shared.replaceContents(of: board, with: promises) {
                completion($0.map(\.changeCount).mapError { $0 })
            }
        }
    }

    func amend(_ board: String, with items: [NSItemProvider], expecting changeCount: Int) throws -> Bool {
        let promises = items.map(\.promise).offerable
        do {
            _ = try Self.waitFor { completion in
                ExchangeClient.shared.replaceContents(of: board, with: promises, amending: changeCount) {
                    completion($0.mapError { $0 })
                }
            }
            return true
        } catch {
            // If the change count is the expected one, the call failed for another reason, which is an error.
            guard try self.changeCount(of: board) == changeCount else { return false }
            throw error
        }
    }

    func changeCount(of board: String) throws -> Int { Int(clamping: try state(of: board).changeCount) }

    func isTouched(_ board: String) throws -> Bool { try state(of: board).isTouched }

    func remove(_ board: String) throws {
        _ = try Self.waitFor { completion in
            ExchangeClient.shared.call(
                ReplaceContentsCall(board: board, manifests: [], isRemoval: true), attempts: 3
            ) { completion($0.mapError { $0 }) }
        }
    }

    private func state(of board: String) throws -> ChangeCountReply {
        try Self.waitFor { completion in
            ExchangeClient.shared.call(ChangeCountCall(board: board), attempts: 3) { completion($0.mapError { $0 }) }
        }
    }

    /// Blocks the calling thread until the daemon replies. `start` makes the call, and passes the reply to the closure
    /// that is its argument.
    private static func waitFor<Value: Sendable>(
        _ start: (@escaping @Sendable (Result<Value, any Error>) -> Void) -> Void
    ) throws -> Value {
        let answered = DispatchSemaphore(value: 0)
        let answer = BlockingResult<Value>()
        start { result in
            answer.value.withLock { $0 = result }
            answered.signal()
        }
        answered.wait()
        guard let result = answer.value.withLock({ $0 }) else { throw ExchangeError.interrupted("no answer came") }
        return try result.get()
    }
}

private final class BlockingResult<Value: Sendable>: Sendable {
    let value = Lock<Result<Value, any Error>?>(nil)
}

/// Returns a retained `BoardsBox`. The pasteboard classes look up this function by name, and so find it only in
/// programs that link this module.
@_cdecl("purvey_shared_boards") package func sharedBoards() -> UnsafeMutableRawPointer {
    Unmanaged.passRetained(BoardsBox(SharedItemBoards())).toOpaque()
}
