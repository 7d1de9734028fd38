import Conduit
import Testing

/// Waits until a condition holds that another process or thread brings about asynchronously.
func eventually(
    sourceLocation: SourceLocation = #_sourceLocation, _ isSo: () async throws -> Bool
) async throws {
    // Counts attempts rather than time, because a busy machine may run no task for long.
    for _ in 0..<30_000 {
        if try await isSo() { return }
        try await Task.sleep(for: .milliseconds(10))
    }
    Issue.record("it did not come about", sourceLocation: sourceLocation)
}

extension ConduitError {
    /// The peer's error, if this is one.
    var remote: RemoteError? {
        if case .remote(let failure) = self { return failure }
        return nil
    }
}
