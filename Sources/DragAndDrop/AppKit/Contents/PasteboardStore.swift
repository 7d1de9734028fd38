import Dispatch
import Foundation
import Glibc
import ItemProvider
import LinuxSystem

/// The boards, and what this process has put on them by `NSPasteboard`.
///
/// Only a board's owner, who has last taken it over, may write to it. Whether a process still is that, the board itself decides:
/// its change count is compared when something is written.
package final class PasteboardStore: Sendable {
    let boards: any ItemBoards
    /// How long somebody who wants what was promised is kept waiting.
    let patience: DispatchTimeInterval
    /// How long somebody is who wants a promised file.
    let patienceForFiles: DispatchTimeInterval

    /// By board. Innermost: boards are used and client code runs after it is released.
    private let own = Lock<[String: PasteboardContents]>([:])
    /// Keeps publications in the order in which they were decided. Held while the board is written to; `own` and the locks of
    /// contents are taken under it.
    private let publishing = Lock(())

    /// That of all pasteboards of the program.
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

    /// What is on a board, if it is of this process. Blocks for the board's answer.
    func contents(of board: String) -> PasteboardContents? {
        guard let contents = own.withLock({ $0[board] }), !contents.isOver,
            (try? boards.changeCount(of: board)) == contents.changeCount
        else { return nil }
        return contents
    }

    /// Whether somebody has promised something on a board of this process that was not asked for yet.
    func hasPromises(of keeper: ObjectIdentifier, on board: String) -> Bool {
        own.withLock { $0[board] }?.items.contains { $0.hasPromises(of: keeper) } ?? false
    }

    /// Makes this process the owner of a board, with new contents.
    ///
    /// - Returns: the new change count; `nil` where the board cannot be had.
    func takeOver(_ board: String, with items: [ItemContents] = [], owner: TypeOwner? = nil) -> Int? {
        let contents = PasteboardContents(board: board, owner: owner, items: items)
        let staysAfterwards = board == NSPasteboard.Name.general.board
        let replaced = publishing.withLock { _ -> (count: Int, old: PasteboardContents?)? in
            let old = own.withLock { $0[board] }
            // It is told below who comes after it, not when the board drops its items.
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

    /// Writes more to a board that is this process's.
    ///
    /// - Parameter body: changes the items; `false` where there is nothing to be written.
    /// - Returns: whether it was written. If not, the items are what they were.
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

    /// Puts items on a board by a function, which gives nothing where that failed.
    private func publish<Result>(
        _ items: [ItemContents], of contents: PasteboardContents, by body: ([NSItemProvider]) -> Result?
    ) -> Result? {
        let publication = contents.makePublication()
        let providers = items.compactMap { $0.makeProvider(publication, within: patience) }
        // Told apart before others can see it: what is replaced at once has been heard of.
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

    /// Makes the process keep the promises of the general pasteboard when it ends by `exit` or by returning from `main`.
    ///
    /// What is on that pasteboard is handed over then, but owners are called on the main thread, which cannot serve others any
    /// more while it ends. This is installed after the handing over, and so comes before it.
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
