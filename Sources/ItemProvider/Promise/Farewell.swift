import Glibc

/// The time for which serving promised items may delay the end of a process.
package enum Farewell {
    /// Seconds: those of `PURVEY_EXIT_TIME_LIMIT`, else 3.
    package static let longest: Int = {
        guard let text = getenv("PURVEY_EXIT_TIME_LIMIT"), let seconds = Int(String(cString: text)) else { return 3 }
        return min(max(seconds, 0), 3_600)
    }()
}
