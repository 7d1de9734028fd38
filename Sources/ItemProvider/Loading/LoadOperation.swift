import Foundation
import LinuxSystem
import Synchronization

/// One load: runs a representation's handler, bridges what it supplies to what was asked for, and completes once.
///
/// The progress it shows is updated from here only, under one lock; the consumer reads it and may cancel it.
package final class LoadOperation: Sendable {
    package typealias Completion = @Sendable (Result<Arrival, any Error>) -> Void

    /// The parts into which a load's progress is divided.
    private static let totalUnits: Int64 = 1000

    /// What the consumer of the load watches and cancels. It finishes when the load ends, however it ends.
    package let progress: Progress

    private struct State {
        var completion: Completion?
        var task: SupplyTask?
        var isCancelled = false
        var completedUnits: Int64 = 0
    }

    // Innermost: only the arithmetic of `progress` runs under it, never a handler.
    private let state: Mutex<State>
    private let promise: ItemPromise
    private let representation: Representation
    /// `nil` for whatever comes: data as data, a file in place or as a copy.
    private let delivery: Delivery?
    /// How much of the progress belongs to the load handler; the rest is bridging.
    private let supplyUnits: Int64

    private init(
        _ representation: Representation, of promise: ItemPromise, as delivery: Delivery?,
        completion: @escaping Completion
    ) {
        // `Progress(totalUnitCount:)` would hang itself below whatever progress is current on this thread.
        progress = Progress.discreteProgress(totalUnitCount: Self.totalUnits)
        state = Mutex(State(completion: completion))
        self.promise = promise
        self.representation = representation
        self.delivery = delivery
        supplyUnits = delivery == .data ? Self.totalUnits : Self.totalUnits / 2
    }

    /// Starts a load. It is never completed before this returns.
    ///
    /// - Parameters:
    ///   - delivery: `nil` takes it as it comes: data as data, a file in place where that is allowed and possible, else a copy.
    ///   - prepare: given the progress before anything moves it: to be made a part of another.
    ///   - completion: called once, on a queue of its own.
    package static func start(
        _ representation: Representation, of promise: ItemPromise, as delivery: Delivery?,
        prepare: (Progress) -> Void = { _ in }, completion: @escaping Completion
    ) -> Progress {
        let operation = LoadOperation(representation, of: promise, as: delivery, completion: completion)
        prepare(operation.progress)
        operation.progress.cancellationHandler = { [weak operation] in operation?.cancel() }
        let task = SupplyTask(
            representation, for: delivery ?? .inPlace,
            report: { operation.advance(to: Int64($0 * Double(operation.supplyUnits))) },
            completion: { operation.bridge($0) })
        operation.hold(task)
        return operation.progress
    }

    /// Starts a load that is bound to fail, with the shape of one that is not.
    package static func fail(_ error: any Error, completion: @escaping Completion) -> Progress {
        let progress = Progress.discreteProgress(totalUnitCount: totalUnits)
        HandlerThreads.shared.run {
            progress.completedUnitCount = totalUnits
            completion(.failure(error))
        }
        return progress
    }

    private func hold(_ task: SupplyTask) {
        let isOver = state.withLock { state in
            if state.completion != nil { state.task = task }
            return state.completion == nil
        }
        // Cancelled between the start of the task and here.
        if isOver { task.cancel() }
    }

    private func cancel() {
        let task = state.withLock { state in
            state.isCancelled = true
            return state.task
        }
        finish(.failure(ItemProviderError.cancelled()))
        task?.cancel()
    }

    private var isCancelled: Bool { state.withLock { $0.isCancelled } }

    private func bridge(_ result: Result<Supply, any Error>) {
        if representation.isRemote {
            HandlerThreads.shared.run { self.complete(with: result, isOnOwnQueue: true) }
        } else {
            complete(with: result, isOnOwnQueue: false)
        }
    }

    private func complete(with result: Result<Supply, any Error>, isOnOwnQueue: Bool) {
        do {
            let supply = try result.get()
            advance(to: supplyUnits)
            let bridge = Bridge(
                typeIdentifier: representation.typeIdentifier, suggestedName: promise.suggestedName,
                report: { fraction in
                    self.advance(to: self.supplyUnits + Int64(fraction * Double(Self.totalUnits - self.supplyUnits)))
                },
                isCancelled: { self.isCancelled })
            let delivery = delivery ?? (supply.file == nil ? .data : .inPlace)
            finish(.success(try bridge.deliver(supply, as: delivery)), isOnOwnQueue: isOnOwnQueue)
        } catch {
            let error = ItemProviderError.cannotLoad(representation.typeIdentifier, because: error)
            finish(.failure(error), isOnOwnQueue: isOnOwnQueue)
        }
    }

    private func advance(to units: Int64) {
        state.withLock { state in
            // The last unit is kept for the end, so that a finished progress means a finished load.
            let units = min(units, Self.totalUnits - 1)
            guard state.completion != nil, units > state.completedUnits else { return }
            state.completedUnits = units
            progress.completedUnitCount = units
        }
    }

    private func finish(_ result: Result<Arrival, any Error>, isOnOwnQueue: Bool = false) {
        let completion = state.withLock { state in
            guard let completion = state.completion else { return nil as Completion? }
            state.completion = nil
            state.task = nil
            progress.completedUnitCount = Self.totalUnits
            return completion
        }
        guard let completion else { return }
        if isOnOwnQueue {
            completion(result)
        } else {
            HandlerThreads.shared.run { completion(result) }
        }
    }
}
