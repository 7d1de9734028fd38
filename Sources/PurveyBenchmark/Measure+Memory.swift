import Foundation

extension Measure {
    /// The most memory that a process has had at a time, in bytes, this one if no other is named.
    ///
    /// Of the program that it runs: what `getrusage` gives begins with what the process had before that, as a copy of its parent.
    static func peakResident(ofProcess process: String = "self") throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        let peak = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }?.split(whereSeparator: \.isWhitespace)
        guard let peak, peak.count == 3, let kilobytes = Int(peak[1]) else {
            throw MountFailure("no VmHWM in \(status)")
        }
        return kilobytes << 10
    }
}
