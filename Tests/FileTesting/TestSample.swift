import Glibc

/// The share of cases that a test with very many cases runs.
///
/// `make test` runs a sample of the cases, so that it is fast enough for a developer. `make test-full`, which sets
/// `PURVEY_TESTS=full`, runs all cases.
package enum TestSample {
    /// Whether tests run all of their cases.
    package static let isWhole = getenv("PURVEY_TESTS").map { String(cString: $0) } == "full"

    /// Returns the number of cases to run.
    ///
    /// - Parameters:
    ///   - sample: the number in `make test`.
    ///   - whole: the number in `make test-full`.
    package static func count(_ sample: Int, of whole: Int) -> Int { isWhole ? whole : sample }

    /// Returns the time limit of a suite in minutes.
    ///
    /// - Parameter sample: the limit in `make test`. With all cases, the limit is five times as long.
    package static func minutes(_ sample: Int) -> Int { isWhole ? 5 * sample : sample }
}
