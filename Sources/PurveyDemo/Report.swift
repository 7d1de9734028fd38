import Foundation

/// What a child process tells the demonstration, one line of JSON each.
enum Report: Codable {
    /// The provider's promises stand. The number says how often load handlers have run so far: never.
    case promised(handlerRuns: Int)
    /// The fraction, 0 to 1, that the load in flight has come to.
    case progress(Double)
    case arrived(Arrival)
    /// The provider's last word: how often its load handlers ran in all.
    case withdrawn(handlerRuns: Int)
    /// The child cannot go on.
    case failed(String)

    /// How one load ended.
    struct Arrival: Codable {
        /// As the consumer was told; nil where the load failed.
        var form: String?
        /// A byte count or a path, or what went wrong.
        var details: String
        /// From the call of the load method to its completion handler.
        var seconds: Double
        /// Where the load's progress ended.
        var fraction: Double
        /// The outcome of comparing what arrived with the original, in a few words.
        var check: String
        var isGood: Bool
    }

    /// Writes the report to standard output at once.
    func send() throws {
        var line = try JSONEncoder().encode(self)
        line.append(UInt8(ascii: "\n"))
        try FileHandle.standardOutput.write(contentsOf: line)
    }
}
