import Foundation
import LinuxSystem

/// A load: runs a representation's handler, converts the supply to the requested form, and completes once.
///
/// The consumer reads the progress, may make it part of another, and may cancel it. The progress is finished when the
/// load ends in any way. A load is retained by the objects that may still complete or cancel it.
package final class LoadOperation: Sendable {
    package typealias Completion = @Sendable (Result<Arrival, any Error>) -> Void

    /// The units of a load's progress.
    private static let totalUnits: Int64 = 1000

    /// The representation to load, the promise that contains it, and the completion handler.
    private struct Load {
        let representation: Representation
        let promise: ItemPromise
        let completion: Completion
    }

    private struct State {
        /// The load in progress; `nil` after it has ended.
        var load: Load?
        // Weak, because the progress retains this object.
        weak var progress: LoadProgress?
        // Weak, because the task retains this object.
        weak var task: SupplyTask?
        var isCancelled = false
        var completedUnits: Int64 = 0
    }

    // Leaf lock: progress is moved and handlers run after it is released.
    private let state: Lock<State>
    /// The requested form. With `nil`, data is delivered as data, and a file in place or as a copy.
    private let delivery: Delivery?
    /// The progress units of the load handler. The other units belong to the conversion.
    private let supplyUnits: Int64
    private let coordination = CoordinatedReading()

    private init(_ load: Load, as delivery: Delivery?, progress: LoadProgress) {
        state = Lock(State(load: load, progress: progress))
        self.delivery = delivery
        let isHandedOver = delivery == .data && !load.representation.suppliesFiles
        supplyUnits = isHandedOver ? Self.totalUnits : Self.totalUnits / 2
    }

    /// Starts a load. The load never completes before this function returns.
    ///
    /// - Parameters:
    ///   - delivery: the requested form. With `nil`, data is delivered as data, and a file in place if this is allowed
    ///     and possible, otherwise as a copy.
    ///   - prepare: gets the progress before it changes, in order to make it a child of another progress.
    ///   - completion: called once, on a separate queue.
    /// - Returns: the progress, which the consumer can observe and cancel.
    package static func start(
        _ representation: Representation, of promise: ItemPromise, as delivery: Delivery?,
        prepare: (LoadProgress) -> Void = { _ in }, completion: @escaping Completion
    ) -> LoadProgress {
        let progress = LoadProgress(units: totalUnits)
        prepare(progress)
        let load = Load(representation: representation, promise: promise, completion: completion)
        let operation = LoadOperation(load, as: delivery, progress: progress)
        progress.cancellationHandler = { operation.cancel() }
        let task = SupplyTask(
            representation, for: delivery ?? .inPlace,
            report: { operation.advance(to: Int64($0 * Double(operation.supplyUnits))) },
            completion: { operation.bridge($0) })
        operation.hold(task)
        return progress
    }

    /// Starts a load that fails with the given error. Its completion is called asynchronously, as for any other load.
    package static func fail(_ error: any Error, completion: @escaping Completion) -> LoadProgress {
        let progress = LoadProgress(units: totalUnits)
        HandlerThreads.shared.run { progress.finish { completion(.failure(error)) } }
        return progress
    }

    private func hold(_ task: SupplyTask) {
        let isOver = state.withLock { state in
            state.task = task
            return state.load == nil
        }
        // The load has ended, for example by cancellation, between the start of the task and this call.
        if isOver { task.cancel() }
    }

    private func cancel() {
        let task = state.withLock { state in
            state.isCancelled = true
            return state.task
        }
        finish(.failure(ItemProviderError.cancelled()))
        coordination.cancel()
        task?.cancel()
    }

    private var isCancelled: Bool { state.withLock { $0.isCancelled } }

    private func bridge(_ result: Result<Supply, any Error>) {
        guard let load = state.withLock({ $0.load }) else { return }
        if mayBlock(result, load) {
            HandlerThreads.shared.run { self.complete(load, with: result, isOnOwnQueue: true) }
        } else {
            complete(load, with: result, isOnOwnQueue: false)
        }
    }

    /// Whether the conversion must move to another thread. This is the case if it may take long, this thread must not
    /// be blocked, and the supply stays valid in the meantime.
    private func mayBlock(_ result: Result<Supply, any Error>, _ load: Load) -> Bool {
        guard case .success(let supply) = result else { return load.representation.isRemote }
        if load.representation.isRemote { return true }
        // A presenter of the file may need this thread in order to save, and this thread may be within another
        // coordinated access.
        if let file = supply.file, file.needsCoordination { return true }
        let staysGood: Bool =
            switch supply {
            case .bytes, .memory: delivery == .copy || delivery == .inPlace
            case .file(let file): file.isOfferedInPlace
            }
        return staysGood && !HandlerThreads.isCurrent
    }

    private func complete(_ load: Load, with result: Result<Supply, any Error>, isOnOwnQueue: Bool) {
        do {
            let supply = try result.get()
            let delivery = delivery ?? (supply.file == nil ? .data : .inPlace)
            let isHandedOver = delivery == .data && supply.file == nil
            let supplied =
                isHandedOver ? Self.totalUnits : max(Self.totalUnits / 2, state.withLock { $0.completedUnits })
            advance(to: supplied)
            let bridge = Bridge(
                typeIdentifier: load.representation.typeIdentifier,
                contentType: load.promise.undeclaredType(load.representation.typeIdentifier),
                suggestedName: load.promise.suggestedName,
                report: { fraction in
                    self.advance(to: supplied + Int64(fraction * Double(Self.totalUnits - supplied)))
                },
                isCancelled: { self.isCancelled }, coordination: coordination)
            finish(.success(try bridge.deliver(supply, as: delivery)), isOnOwnQueue: isOnOwnQueue)
        } catch {
            let error = ItemProviderError.cannotLoad(load.representation.typeIdentifier, because: error)
            finish(.failure(error), isOnOwnQueue: isOnOwnQueue)
        }
    }

    private func advance(to units: Int64) {
        // The last unit is completed only when the load ends, so that a finished progress means a finished load.
        let units = min(units, Self.totalUnits - 1)
        let progress = state.withLock { state -> LoadProgress? in
            guard state.load != nil, units > state.completedUnits else { return nil }
            state.completedUnits = units
            return state.progress
        }
        progress?.move(to: units)
    }

    private func finish(_ result: Result<Arrival, any Error>, isOnOwnQueue: Bool = false) {
        let (load, progress) = state.withLock { state in
            defer { state.load = nil }
            return (state.load, state.progress)
        }
        guard let load else { return }
        let complete: @Sendable () -> Void = {
            if isOnOwnQueue {
                load.completion(result)
            } else {
                HandlerThreads.shared.run { load.completion(result) }
            }
        }
        if let progress { progress.finish(then: complete) } else { complete() }
    }
}

/// The result of a load.
package enum Arrival: Sendable {
    case data(Data)
    case file(ArrivedFile)
}

/// A loaded file or directory: the original, or a copy in a temporary directory that is removed with this value.
package struct ArrivedFile: Sendable {
    package let url: URL
    /// Whether this is the provider's own file.
    package let isInPlace: Bool
    /// The temporary directory of a copy. It is deleted when the last reference to it is released.
    package let folder: LoadFolder?

    package init(url: URL, isInPlace: Bool, folder: LoadFolder?) {
        self.url = url
        self.isInPlace = isInPlace
        self.folder = folder
    }
}
