import AttackTesting
import Glibc
import Testing

/// The error of an attack, with the seed that repeats it.
struct AttackError: Error, CustomStringConvertible {
    let description: String
}

/// Runs an attack, and adds its seed to an error.
func withSeed(_ seed: UInt64, _ body: () async throws -> Void) async throws {
    do {
        try await body()
    } catch {
        throw AttackError(description: "seed \(seed): \(error)")
    }
}

/// Polls until a condition holds. A busy machine may take long.
func eventually(
    _ what: String, sourceLocation: SourceLocation = #_sourceLocation, _ condition: () async throws -> Bool
) async throws {
    for _ in 0..<12_000 {
        if try await condition() { return }
        usleep(20_000)
    }
    Issue.record("never: \(what)", sourceLocation: sourceLocation)
}

/// Returns the descriptors and threads of a process once their numbers do not change any more.
func settledFootprint(of process: pid_t) async throws -> ProcessFootprint {
    var last = try ProcessFootprint(of: process)
    var looks = 0
    // Sockets that attackers sent may take a moment to close.
    try await eventually("the process settles") {
        usleep(50_000)
        let now = try ProcessFootprint(of: process)
        looks = now.descriptors == last.descriptors ? looks + 1 : 0
        last = now
        return looks >= 20
    }
    return last
}

/// Expects that a process is the same as in an earlier footprint, and that it soon has no more descriptors and threads
/// than then.
func expectRestored(
    _ process: pid_t, from earlier: ProcessFootprint, _ seed: UInt64,
    sourceLocation: SourceLocation = #_sourceLocation
) async throws {
    for _ in 0..<12_000 {
        if try ProcessFootprint(of: process).isRestored(from: earlier) { return }
        usleep(20_000)
    }
    let found = try ProcessFootprint(of: process)
    Issue.record("seed \(seed): there are \(found), and were \(earlier)", sourceLocation: sourceLocation)
}
