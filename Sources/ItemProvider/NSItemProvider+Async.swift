import Foundation
import FoundationAdditions
import LinuxSystem
import Synchronization
import UniformTypeIdentifiers

/// The `async` forms of the loads. Cancelling the task cancels the load.
///
/// An addition to Apple's interface, whose loads return a `Progress` and therefore have no `async` form. The functions
/// run in their caller's isolation, like methods imported from Objective-C, so that an actor may load from its own
/// provider.
extension NSItemProvider {
    /// Loads the data of the first representation that conforms to the given type. Throws the error that the form with
    /// a completion handler reports.
    nonisolated(nonsending) public func loadDataRepresentation(for contentType: UTType) async throws -> Data {
        try await loadDataRepresentation(forTypeIdentifier: contentType.identifier)
    }

    /// Loads the data of the first representation that conforms to the given type. Throws the error that the form with
    /// a completion handler reports.
    nonisolated(nonsending) public func loadDataRepresentation(forTypeIdentifier typeIdentifier: String) async throws
        -> Data
    {
        try await CancellableLoad.run { completion in
            self.loadDataRepresentation(forTypeIdentifier: typeIdentifier) { data, error in
                completion(data.map(Result.success) ?? .failure(error ?? ItemProviderError.emptyAnswer()))
            }
        }
    }

    /// Loads the file of the first representation that conforms to the given type, and calls a closure with the file.
    ///
    /// - Parameters:
    ///   - openInPlace: whether the original file is requested. If the original is not available, a copy arrives.
    ///   - body: gets the file's URL, and whether this is the original. A copy is deleted when the closure returns.
    /// - Returns: the result of the closure.
    nonisolated(nonsending) public func loadFileRepresentation<Result: Sendable>(
        for contentType: UTType, openInPlace: Bool = false,
        _ body: @Sendable (_ url: URL, _ isInPlace: Bool) async throws -> Result
    ) async throws -> Result {
        try await loadFileRepresentation(
            forTypeIdentifier: contentType.identifier, openInPlace: openInPlace, body)
    }

    /// Loads the file of the first representation that conforms to the given type, and calls a closure with the file,
    /// see ``loadFileRepresentation(for:openInPlace:_:)``.
    nonisolated(nonsending) public func loadFileRepresentation<Result: Sendable>(
        forTypeIdentifier typeIdentifier: String, openInPlace: Bool = false,
        _ body: @Sendable (_ url: URL, _ isInPlace: Bool) async throws -> Result
    ) async throws -> Result {
        let file: ArrivedFile = try await CancellableLoad.run { completion in
            guard type(of: self) == NSItemProvider.self else {
                return self.loadFromSubclass(typeIdentifier, openInPlace: openInPlace, completion)
            }
            return self.load(typeIdentifier, as: openInPlace ? .inPlace : .copy) {
                completion($0.flatMap { $0.asFile })
            }
        }
        // The copy is removed explicitly and not by the release of its last reference, because the program may end as
        // soon as this function returns.
        defer { file.folder?.remove() }
        return try await body(file.url, file.isInPlace)
    }

    /// Loads an object of the given class from the best representation that the class can read.
    nonisolated(nonsending) public func loadObject<Object: NSItemProviderReading>(ofClass aClass: Object.Type)
        async throws -> sending Object
    {
        let loaded: Disconnected<any NSItemProviderReading> = try await CancellableLoad.run { completion in
            self.loadObject(ofClass: aClass) { object, error in
                completion(
                    object.map { .success(Disconnected($0)) }
                        ?? .failure(error ?? ItemProviderError.emptyAnswer()))
            }
        }
        guard let object = loaded.value as? Object else {
            throw ItemProviderError.unexpectedClass(of: loaded.value, expected: aClass)
        }
        return object
    }

    /// Loads a value of the given type, such as a `String` or a `URL`, from the best representation from which the
    /// value can be created.
    nonisolated(nonsending) public func loadObject<Value: Sendable>(ofClass aClass: Value.Type) async throws -> Value
    where Value: _ObjectiveCBridgeable, Value._ObjectiveCType: NSItemProviderReading & SendableMetatype {
        try await CancellableLoad.run { completion in
            self.loadObject(ofClass: aClass) { value, error in
                completion(value.map(Result.success) ?? .failure(error ?? ItemProviderError.emptyAnswer()))
            }
        }
    }
}

extension NSItemProvider {
    /// Loads a file through methods that a subclass may have overridden. Copies the file again, because those methods
    /// delete the file when their completion handler returns.
    private func loadFromSubclass(
        _ typeIdentifier: String, openInPlace: Bool,
        _ completion: @escaping @Sendable (Result<ArrivedFile, any Error>) -> Void
    ) -> Progress {
        let keep: @Sendable (URL?, Bool, (any Error)?) -> Void = { url, isInPlace, error in
            completion(
                Result {
                    guard let url else { throw error ?? ItemProviderError.emptyAnswer() }
                    if isInPlace { return ArrivedFile(url: url, isInPlace: true, folder: nil) }
                    let file = try SuppliedFile(url: url, isOfferedInPlace: false, isCoordinated: false)
                    let bridge = Bridge(
                        typeIdentifier: typeIdentifier, contentType: nil, suggestedName: url.path.lastPathName,
                        report: { _ in }, isCancelled: { false })
                    return try bridge.deliver(.file(file), as: .copy).asFile.get()
                })
        }
        guard openInPlace else {
            return loadFileRepresentation(forTypeIdentifier: typeIdentifier) { keep($0, false, $1) }
        }
        return loadInPlaceFileRepresentation(forTypeIdentifier: typeIdentifier, completionHandler: keep)
    }
}

extension LoadOperation {
    /// Runs a load, and returns its result. If the task that waits for the load is cancelled, cancels the load.
    nonisolated(nonsending) package static func run(
        _ representation: Representation, of promise: ItemPromise, as delivery: Delivery
    ) async throws -> Arrival {
        try await CancellableLoad.run { completion in
            start(representation, of: promise, as: delivery, completion: completion)
        }
    }
}

/// The `async` form of a load, which is cancelled together with the waiting task.
private enum CancellableLoad {
    nonisolated(nonsending) static func run<Value: Sendable>(
        _ start: (@escaping @Sendable (Result<Value, any Error>) -> Void) -> Progress
    ) async throws -> Value {
        let pending = PendingCancellation()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let progress = start { continuation.resume(with: $0) }
                pending.hold { progress.cancel() }
            }
        } onCancel: {
            pending.cancel()
        }
    }
}
