import FileProviderWire
import LinuxSystem

/// A completion handler of a request to the engine, which is called once.
typealias EngineCompletion<Success: Sendable> = OneShotCompletion<Result<Success, ProviderError>>

extension OneShotCompletion {
    /// Completes with a failure, because the caller does not wait any more.
    func cancel<Success>() where Value == Result<Success, ProviderError> {
        complete(.failure(ProviderError(.cancelled, message: "The wait was given up.")))
    }
}
