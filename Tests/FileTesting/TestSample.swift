import Glibc

/// The share of their cases that tests with very many of them run.
///
/// `make test` runs a sample of them, so that it takes no longer than a developer waits. `make test-full`, which sets
/// `PURVEY_TESTS=full`, runs all.
package enum TestSample {
    /// Whether tests run all of their cases.
    package static let isWhole = getenv("PURVEY_TESTS").map { String(cString: $0) } == "full"

    /// Returns the number of cases to run.
    ///
    /// - Parameters:
    ///   - sample: the number in `make test`.
    ///   - whole: the number in `make test-full`.
    package static func count(_ sample: Int, of whole: Int) -> Int { isWhole ? whole : sample }
}
