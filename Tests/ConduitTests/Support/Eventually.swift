import Conduit
import Testing

/// Waits until something is so that another process or thread brings about in its own time.
func eventually(
    sourceLocation: SourceLocation = #_sourceLocation, _ isSo: () async throws -> Bool
) async throws {
    // Looks are counted rather than time: a busy machine may let no task run for long.
    for _ in 0..<30_000 {
        if try await isSo() { return }
        try await Task.sleep(for: .milliseconds(10))
    }
    Issue.record("it did not come about", sourceLocation: sourceLocation)
}

extension ConduitError {
    /// The other side's error, if it is one.
    var remote: RemoteFailure? {
        if case .remote(let failure) = self { return failure }
        return nil
    }
}
