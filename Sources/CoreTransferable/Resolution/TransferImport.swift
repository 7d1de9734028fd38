import Foundation
import ItemProvider
import LinuxSystem
import Synchronization

/// An import: loads a representation, and creates a value from the result.
///
/// The import ends with the first of these events: the importing closure returns, the load fails, or the consumer
/// cancels. Later results are ignored, so the consumer need not wait for a closure that does not return.
final class TransferImport: Sendable {
    typealias Completion = @Sendable (Result<TransferredValue, any Error>) -> Void

    /// A representation, and the import that makes a value of it.
    struct Choice: Sendable {
        let importing: ResolvedImport
        let representation: Representation
    }

    /// The number of units of the progress, and the number of these units that the load completes.
    private static let units: Int64 = 100
    private static let loadUnits: Int64 = 90

    private struct State {
        var completion: Completion?
        var isCancelled = false
        /// The load of a later choice. The load of the first choice is a child of the progress, which cancels it.
        var load: Progress?
        var task: Task<Void, Never>?
    }

    private let progress = LoadProgress(units: units)
    private let promise: ItemPromise
    // Leaf lock: completions, closures of the program and changes of the progress run after it is released.
    private let state: Mutex<State>

    private init(_ promise: ItemPromise, completion: @escaping Completion) {
        self.promise = promise
        state = Mutex(State(completion: completion))
    }

    /// Imports from the first choice. If its load fails because the value does not meet an exporting condition, tries
    /// the later choices in turn.
    ///
    /// - Parameter completion: called once, on a thread that may block.
    static func start(
        _ first: Choice, or others: ArraySlice<Choice>, of promise: ItemPromise, completion: @escaping Completion
    ) -> Progress {
        let operation = TransferImport(promise, completion: completion)
        operation.progress.cancellationHandler = { [weak operation] in operation?.cancel() }
        let progress = operation.progress
        _ = LoadOperation.start(
            first.representation, of: promise, as: first.importing.delivery,
            prepare: { progress.add($0, units: loadUnits) },
            completion: { operation.arrived($0, for: first, or: others) })
        return progress
    }

    private func arrived(
        _ result: Result<Arrival, any Error>, for choice: Choice, or others: ArraySlice<Choice>
    ) {
        switch result {
        case .success(let arrival):
            importing { try await choice.importing.value(arrival) }
        case .failure(let error):
            guard let next = others.first, TransferError.isConditionNotMet(error) else { return end(.failure(error)) }
            let load = LoadOperation.start(
                next.representation, of: promise, as: next.importing.delivery,
                completion: { self.arrived($0, for: next, or: others.dropFirst()) })
            hold {
                $0.load = load
            } orCancel: {
                load.cancel()
            }
        }
    }

    private func importing(_ value: @escaping @Sendable () async throws -> TransferredValue) {
        if state.withLock({ $0.isCancelled }) { return end(.failure(ItemProviderError.cancelled())) }
        let task = Task {
            let result: Result<TransferredValue, any Error>
            do {
                result = .success(try await value())
            } catch {
                result = .failure(error)
            }
            end(result)
        }
        hold {
            $0.task = task
        } orCancel: {
            cancel()
        }
    }

    /// Stores the object to cancel, unless the import has ended. If the import has been cancelled, cancels the object
    /// now.
    private func hold(_ remember: (inout State) -> Void, orCancel cancel: () -> Void) {
        let isCancelled = state.withLock { state in
            if state.completion != nil { remember(&state) }
            return state.isCancelled
        }
        if isCancelled { cancel() }
    }

    private func cancel() {
        let (load, task) = state.withLock { state in
            state.isCancelled = true
            return (state.load, state.task)
        }
        if let task {
            end(.failure(ItemProviderError.cancelled()))
            task.cancel()
        } else {
            load?.cancel()
        }
    }

    private func end(_ result: Result<TransferredValue, any Error>) {
        let completion = state.withLock { state in
            defer { state.completion = nil }
            state.load = nil
            state.task = nil
            return state.completion
        }
        guard let completion else { return }
        HandlerThreads.shared.run { [progress] in progress.finish { completion(result) } }
    }
}

extension TransferImport {
    /// Imports a value with the given choice, and returns the value.
    static func run(_ choice: Choice, of promise: ItemPromise) async throws -> TransferredValue {
        try await choice.importing.value(
            try await LoadOperation.run(choice.representation, of: promise, as: choice.importing.delivery))
    }
}

extension ResolvedImport {
    var delivery: Delivery {
        switch payload {
        case .data: .data
        case .file(let attemptsOpenInPlace, _): attemptsOpenInPlace ? .inPlace : .copy
        }
    }

    func value(_ arrival: Arrival) async throws -> TransferredValue {
        switch payload {
        case .data(let importing): return try await importing(try arrival.asData.get())
        case .file(_, let importing):
            return try await arrival.asFile.get().lend {
                try await importing(ReceivedTransferredFile(file: $0.url, isOriginalFile: $0.isInPlace))
            }
        }
    }
}

extension ArrivedFile {
    /// Calls a closure with the file. A copy is deleted when the closure returns.
    func lend<Value>(_ body: (ArrivedFile) async throws -> Value) async throws -> Value {
        do {
            let value = try await body(self)
            await remove()
            return value
        } catch {
            await remove()
            throw error
        }
    }

    /// Deletes a copy, on a thread that may block.
    private func remove() async {
        guard let folder else { return }
        await HandlerThreads.shared.value { folder.remove() }
    }
}
