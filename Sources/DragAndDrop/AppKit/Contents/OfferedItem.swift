import Dispatch
import Foundation
import ItemProvider
import LinuxSystem

/// An item that another process put on a board, or that this process put there without `NSPasteboard`, such as with
/// `UIPasteboard`.
final class OfferedItem: Sendable {
    let promise: ItemPromise
    private let board: String
    private let changeCount: Int
    private let index: Int
    let store: PasteboardStore

    init(_ promise: ItemPromise, on board: String, changeCount: Int, index: Int, _ store: PasteboardStore) {
        self.promise = promise
        self.board = board
        self.changeCount = changeCount
        self.index = index
        self.store = store
    }

    var types: [NSPasteboard.PasteboardType] {
        promise.representations.map { NSPasteboard.PasteboardType($0.typeIdentifier) }
    }

    /// Whether both objects represent the same item of the same pasteboard, and the pasteboard's contents were not
    /// replaced in between.
    func isSame(as other: OfferedItem) -> Bool {
        (board, changeCount, index) == (other.board, other.changeCount, other.index)
    }

    /// Returns the item's data of the given type. Blocks until the data is loaded; returns `nil` on failure or timeout.
    func data(for type: NSPasteboard.PasteboardType) -> Data? {
        guard let representation = promise.representation(of: type.rawValue) else { return nil }
        let running = Lock<Progress?>(nil)
        let data: Data? = MainThread.wait(within: store.patience) { done in
            let progress = LoadOperation.start(representation, of: promise, as: .data) { result in
                done(try? result.flatMap { $0.asData }.get())
            }
            running.withLock { $0 = progress }
        }
        // The load is not needed any more.
        if data == nil { running.withLock { $0 }?.cancel() }
        return data
    }
}
