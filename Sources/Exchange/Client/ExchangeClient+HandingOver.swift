import Conduit
import Dispatch
import Foundation
import ItemProvider
import LinuxSystem

extension ExchangeClient {
    /// Keeps the promise of an item now and gives the results to the daemon, which offers them from then on: the item
    /// outlives this process.
    ///
    /// Representations for this process alone are left out, and so are those whose handler fails or for which the
    /// daemon has no room, as long as one is left.
    ///
    /// - Parameter deadline: when to give up waiting for load handlers.
    package func handOver(_ identifier: UUID, deadline: DispatchTime = .distantFuture) async throws {
        guard let item = offers[identifier] else { throw ExchangeError.noSuchItem }
        try await hold(item, deadline: deadline)
        try await takeOver(identifier)
    }

    /// Makes items the contents of a board once their promises are kept and the daemon has the results: the items outlive
    /// this process, and until then the board has what it had.
    ///
    /// - Throws: what went wrong; the board is as it was, unless the daemon itself was lost in the last moment.
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

    /// Keeps the promises of an item and gives the results to the daemon.
    ///
    /// - Parameter board: the board whose contents it is about to replace.
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

    /// Makes the daemon the one who offers an item.
    private func takeOver(_ identifier: UUID) async throws {
        _ = try await call(TakeOverCall(identifier: identifier))
        offers.remove(identifier)?.offer.end()
    }

    /// Announces that this process is about to end in good order, and hands over what should outlive it: the contents
    /// it gave to pasteboards.
    ///
    /// - Parameter seconds: how long it may take in all. What is not handed over by then ends with the process.
    package func prepareToQuit(within seconds: Int) async {
        let deadline = DispatchTime.now() + .seconds(seconds)
        guard offers.hasPasteboardItems, let reply = try? await call(PrepareToQuitCall()) else { return }
        for identifier in reply.identifiers {
            // One that cannot be handed over does not keep the others from it.
            try? await handOver(identifier, deadline: deadline)
        }
    }

    /// How long a handler has for the object of the coercing interface, where nothing else ends the wait: the data is there.
    private static let itemPatience = DispatchTimeInterval.seconds(max(3, Farewell.longest))

    /// Has the object of the coercing interface made, where there is one.
    private static func item(of representation: Representation, deadline: DispatchTime) async -> ItemMessage? {
        guard representation.hasItem else { return nil }
        return await withCheckedContinuation { continuation in
            let answer = FirstAnswer<ItemMessage?> { continuation.resume(returning: $0) }
            representation.keepItem { answer.give($0) }
            DispatchQueue.global().asyncAfter(deadline: min(deadline, .now() + itemPatience)) { answer.give(nil) }
        }
    }

    /// Runs a load handler and makes its result fit to leave the process.
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
            // Filling a memory file takes its time: not on a thread that Swift tasks share.
            DispatchQueue.global().async {
                continuation.resume(with: Result { try SupplyPacking.pack(supply, isCancelled: { false }) { _ in } })
            }
        }
    }
}

extension ExchangeClient {
    private static let exitHandler = Lock(false)

    /// Makes the shared client hand over the contents of pasteboards when the process ends by `exit` or by returning
    /// from `main`, and for no longer than a few seconds.
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
