import Foundation

/// A report of a child process to the demonstration, one line of JSON.
enum ChildReport: Codable {
    /// The provider has offered its promises. The number of calls of its load handlers must still be 0.
    case promised(handlerRuns: Int)
    /// The fraction of the load in flight, from 0 to 1.
    case progress(Double)
    case arrived(Arrival)
    /// The provider has withdrawn its promises. `handlerRuns` is the total number of calls of its load handlers.
    case withdrawn(handlerRuns: Int)
    /// The child cannot continue.
    case failed(String)

    /// The result of one load.
    struct Arrival: Codable {
        /// The form that the consumer received, or nil if the load failed.
        var form: String?
        /// A byte count or a path, or the error.
        var details: String
        /// The duration from the call of the load method to the call of its completion handler.
        var seconds: Double
        /// The final fraction of the load's progress.
        var fraction: Double
        /// The result of the comparison with the original, in a few words.
        var check: String
        var isGood: Bool
    }

    /// Writes the report to standard output immediately.
    func send() throws {
        var line = try JSONEncoder().encode(self)
        line.append(UInt8(ascii: "\n"))
        try FileHandle.standardOutput.write(contentsOf: line)
    }
}
