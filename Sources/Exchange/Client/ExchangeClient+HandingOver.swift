import Conduit
import Dispatch
import Foundation
import ItemProvider
import LinuxSystem

extension ExchangeClient {
    /// Runs the load handlers of an item now, and passes their results to the daemon. The daemon then offers the item,
    /// even after this process has ended.
    ///
    /// Representations that only this process may load are left out. Representations whose handler fails, or for which
    /// the daemon has no space, are also left out. If no representation remains, an error is thrown.
    ///
    /// - Parameter deadline: The time at which load handlers that still run are cancelled.
    package func handOver(_ identifier: UUID, deadline: DispatchTime = .distantFuture) async throws {
        guard let item = offers[identifier] else { throw ExchangeError.noSuchItem }
        try await hold(item, deadline: deadline)
        try await takeOver(identifier)
    }

    /// Runs the load handlers of items, and replaces the contents of a board after the daemon has received the results.
    /// The items remain on the board after this process has ended. Until the replacement, the board has its former
    /// contents.
    ///
    /// - Throws: The first error. In this case the board is unchanged, unless the error occurred after the replacement.
    package func replaceContents(of board: String, keeping promises: [ItemPromise]) async throws {
        let items = promises.map { makeItem($0, board: board, isPasteboardItem: true) }
        do {
            for item in items { try await hold(item, replacing: board) }
            _ = try await withCheckedContinuation { continuation in
                replaceContents(of: board, with: items) { continuation.resume(returning: $0) }
            }.get()
        } catch {
            for item in items { callIfConnected(WithdrawCall(identifier: item.offer.identifier)) {} }
            throw error
        }
        for item in items { try await takeOver(item.offer.identifier) }
    }

    /// Runs the load handlers of an item, and passes their results to the daemon, which stores them.
    ///
    /// - Parameters:
    ///   - board: The board whose contents the item is about to replace; `nil` if the item is already offered.
    ///   - deadline: The time at which load handlers that still run are cancelled.
    private func hold(
        _ item: OfferList.Item, replacing board: String? = nil, deadline: DispatchTime = .distantFuture
    ) async throws {
        let identifier = item.offer.identifier
        var failure: (any Error)?
        var isAnyKept = false
        for (index, representation) in item.offer.all where representation.visibility != .ownProcess {
            do {
                let supply = try await Self.supply(representation, deadline: deadline)
                let kept = await Self.item(of: representation, deadline: deadline)
                _ = try await call(
                    HoldCall(
                        identifier: identifier, index: index, supply: SupplyMessage(supply), item: kept,
                        replacedBoard: board))
                isAnyKept = true
            } catch {
                failure = failure ?? error
            }
        }
        guard isAnyKept else { throw failure ?? ExchangeError.refused("the item is for this process alone") }
    }

    /// Makes the daemon offer the given item instead of this process.
    private func takeOver(_ identifier: UUID) async throws {
        _ = try await call(TakeOverCall(identifier: identifier))
        offers.remove(identifier)?.offer.end()
    }

    /// Announces to the daemon that this process is about to exit normally. Passes the daemon the items that should
    /// remain after the end of the process: the contents of pasteboards.
    ///
    /// - Parameter seconds: The time limit in seconds. Items that are not passed within this time are removed when the
    ///   process ends.
    package func prepareToQuit(within seconds: Int) async {
        let deadline = DispatchTime.now() + .seconds(seconds)
        guard offers.hasPasteboardItems, let reply = try? await call(PrepareToQuitCall()) else { return }
        for identifier in reply.identifiers {
            // If one item cannot be handed over, the others still can.
            try? await handOver(identifier, deadline: deadline)
        }
    }

    /// The maximum time to wait for the handler that `loadItem` uses, which may never complete. The wait begins after
    /// the data of the representation was loaded.
    private static let itemPatience = DispatchTimeInterval.seconds(max(3, Farewell.longest))

    /// Returns the object that `loadItem` returns for a representation; `nil` if the representation has no such object,
    /// or if it is not available before the deadline.
    private static func item(of representation: Representation, deadline: DispatchTime) async -> ItemMessage? {
        guard representation.hasItem else { return nil }
        return await withCheckedContinuation { continuation in
            let answer = OneShotCompletion<ItemMessage?> { continuation.resume(returning: $0) }
            representation.keepItem { answer.complete($0) }
            DispatchQueue.global().asyncAfter(deadline: min(deadline, .now() + itemPatience)) { answer.complete(nil) }
        }
    }

    /// Runs a load handler, and converts its result to the form that other processes can use.
    private static func supply(_ representation: Representation, deadline: DispatchTime) async throws -> Supply {
        let delivery = representation.fileOptions.contains(.openInPlace) ? Delivery.inPlace : .copy
        let result = await withCheckedContinuation { continuation in
            let task = SupplyTask(representation, for: delivery, report: { _ in }) {
                continuation.resume(returning: $0)
            }
            if deadline != .distantFuture {
                DispatchQueue.global().asyncAfter(deadline: deadline) { task.cancel() }
            }
        }
        let supply = try result.get()
        return try await withCheckedThrowingContinuation { continuation in
            // Filling a memory file takes time, so it must not block a thread of the Swift concurrency pool.
            DispatchQueue.global().async {
                continuation.resume(with: Result { try SupplyPacking.pack(supply, isCancelled: { false }) { _ in } })
            }
        }
    }
}

extension ExchangeClient {
    private static let exitHandler = Lock(false)

    /// Makes the shared client pass the contents of pasteboards to the daemon when the process ends by `exit` or by
    /// returning from `main`. The exit is delayed by at most a few seconds.
    func handOverAtExit() {
        guard self === Self.shared else { return }
        let isInstalled = Self.exitHandler.withLock { installed in
            defer { installed = true }
            return installed
        }
        guard !isInstalled else { return }
        atexit {
            let done = DispatchSemaphore(value: 0)
            Task.detached {
                await ExchangeClient.shared.prepareToQuit(within: Farewell.longest)
                done.signal()
            }
            _ = done.wait(timeout: .now() + .seconds(Farewell.longest + 2))
        }
    }
}
