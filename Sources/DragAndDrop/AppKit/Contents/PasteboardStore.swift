import Dispatch
import Foundation
import Glibc
import ItemProvider
import LinuxSystem

/// The boards, and the contents that this process has put on them with `NSPasteboard`.
///
/// Only a board's owner, the last process that replaced its contents, may write to it. The board itself decides whether
/// a process is still the owner: each write contains the change count that the process expects.
package final class PasteboardStore: Sendable {
    let boards: any ItemBoards
    /// The maximum time that a client waits for promised data.
    let patience: DispatchTimeInterval
    /// The maximum time that a client waits for a promised file.
    let patienceForFiles: DispatchTimeInterval

    /// The contents by board. Leaf lock: boards are used and client code runs after it is released.
    private let own = Lock<[String: PasteboardContents]>([:])
    /// The lock that serializes publications. It is held while the board is written to. `own` and the locks of contents
    /// are taken under it.
    private let publishing = Lock(())

    /// The store of all pasteboards of the program.
    static let shared = PasteboardStore(SharedBoards.current)

    package init(
        _ boards: any ItemBoards, patience: DispatchTimeInterval = .seconds(60),
        patienceForFiles: DispatchTimeInterval = .seconds(3_600)
    ) {
        self.boards = boards
        self.patience = patience
        self.patienceForFiles = patienceForFiles
    }

    var promisePatience: PromisePatience { PromisePatience(forAnswers: patience, forFiles: patienceForFiles) }

    /// Returns the contents of a board if this process owns it. Blocks for the board's reply.
    func contents(of board: String) -> PasteboardContents? {
        guard let contents = own.withLock({ $0[board] }), !contents.isOver,
            (try? boards.changeCount(of: board)) == contents.changeCount
        else { return nil }
        return contents
    }

    /// Whether the object `keeper` has promised, and not yet provided, data on a board of this process.
    func hasPromises(of keeper: ObjectIdentifier, on board: String) -> Bool {
        own.withLock { $0[board] }?.items.contains { $0.hasPromises(of: keeper) } ?? false
    }

    /// Makes this process the owner of a board, with new contents.
    ///
    /// - Returns: the new change count; `nil` if the board is not available.
    func takeOver(_ board: String, with items: [ItemContents] = [], owner: TypeOwner? = nil) -> Int? {
        let contents = PasteboardContents(board: board, owner: owner, items: items)
        let staysAfterwards = board == NSPasteboard.Name.general.board
        let replaced = publishing.withLock { _ -> (count: Int, old: PasteboardContents?)? in
            let old = own.withLock { $0[board] }
            // While the old contents have no current publication, they do not end when the board releases the old
            // items, and so no owner is notified too early. The call of `end` below notifies the owners, except the new
            // owner.
            let standing = old?.stand(nil)
            let count = publish(items, of: contents) {
                try? boards.replace(board, with: $0, staysAfterwards: staysAfterwards)
            }
            guard let count else {
                _ = old?.stand(standing ?? nil)
                return nil
            }
            contents.changeCount = count
            own.withLock { $0[board] = contents }
            return (count, old)
        }
        guard let replaced else { return nil }
        replaced.old?.end(newOwner: owner)
        if staysAfterwards { keepPromisesAtExit() }
        return replaced.count
    }

    /// Changes the items on a board that this process owns.
    ///
    /// - Parameter body: changes the items; returns `false` if there is nothing to write.
    /// - Returns: whether the items were written. If not, the items stay unchanged.
    func write(to contents: PasteboardContents, _ body: (inout [ItemContents]) -> Bool) -> Bool {
        publishing.withLock { _ in
            var items = contents.items
            guard !contents.isOver, body(&items) else { return false }
            let done: Void? = publish(items, of: contents) { providers in
                let isWritten = try? boards.amend(contents.board, with: providers, expecting: contents.changeCount)
                return isWritten == true ? () : nil
            }
            if done != nil { contents.items = items }
            return done != nil
        }
    }

    /// Creates a provider for each item, and calls `body` to put the providers on a board. Returns the result of
    /// `body`.
    private func publish<Result>(
        _ items: [ItemContents], of contents: PasteboardContents, by body: ([NSItemProvider]) -> Result?
    ) -> Result? {
        let publication = contents.makePublication()
        let providers = items.compactMap { $0.makeProvider(publication, within: patience) }
        // The publication is recorded before other processes can see it, because it may be replaced at once.
        let before = contents.stand(providers.isEmpty ? nil : publication.generation)
        guard let result = body(providers) else {
            _ = contents.stand(before)
            return nil
        }
        return result
    }
}

// MARK: - The end of the process

extension PasteboardStore {
    private static let exitHandler = Lock(false)

    /// Installs an exit handler that requests the promised data of the general pasteboard from its owners. It runs when
    /// the process ends by `exit` or by returning from `main`.
    ///
    /// Another exit handler sends the contents of that pasteboard to the daemon. At that time it is too late to call
    /// owners on the main thread, which cannot serve other threads while the process ends. This handler is installed
    /// after the other one, and therefore runs before it.
    private func keepPromisesAtExit() {
        guard self === Self.shared else { return }
        let isInstalled = Self.exitHandler.withLock { installed in
            defer { installed = true }
            return installed
        }
        guard !isInstalled else { return }
        atexit {
            let board = NSPasteboard.Name.general.board
            let contents = PasteboardStore.shared.own.withLock { $0[board] }
            let deadline = DispatchTime.now() + .seconds(Farewell.longest)
            if let contents, !contents.isOver {
                for item in contents.items { item.keepPromises(until: deadline) }
            }
            if MainThread.isCurrent { MainThread.end() }
        }
    }
}
