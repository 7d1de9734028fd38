import Foundation
import ItemProvider
import LinuxSystem

/// One import: loads a representation, and makes a value of what has arrived.
enum TransferImport {
    /// The parts of the progress: most of it is loading.
    private static let units: Int64 = 100
    private static let loadUnits: Int64 = 90

    /// - Parameter completion: called once, on a thread where it may block.
    static func start(
        _ candidate: ResolvedImport, _ representation: Representation, _ promise: ItemPromise,
        completion: @escaping @Sendable (Result<TransferredValue, any Error>) -> Void
    ) -> Progress {
        let progress = LoadProgress(units: units)
        let load = LoadOperation.start(representation, of: promise, as: candidate.delivery) { result in
            let task = Task {
                let value: Result<TransferredValue, any Error>
                do {
                    value = .success(try await candidate.value(try result.get()))
                } catch {
                    value = .failure(error)
                }
                HandlerThreads.shared.run { progress.finish { completion(value) } }
            }
            progress.cancellationHandler = { task.cancel() }
            if progress.isCancelled { task.cancel() }
        }
        progress.add(load, units: loadUnits)
        return progress
    }

    /// Imports for a caller that waits.
    static func run(
        _ candidate: ResolvedImport, _ representation: Representation, _ promise: ItemPromise
    ) async throws -> TransferredValue {
        try await candidate.value(
            try await LoadOperation.run(representation, of: promise, as: candidate.delivery))
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
            let file = try arrival.asFile.get()
            defer { file.folder?.remove() }
            return try await importing(ReceivedTransferredFile(file: file.url, isOriginalFile: file.isInPlace))
        }
    }
}
