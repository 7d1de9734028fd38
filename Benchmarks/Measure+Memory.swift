import Foundation

extension Measure {
    /// Returns the peak resident memory of a process in bytes, by default of this one.
    ///
    /// It is that of the current program. The value of `getrusage` includes memory from before exec(2), as a copy of
    /// the parent.
    static func peakResident(ofProcess process: String = "self") throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        let peak = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }?.split(whereSeparator: \.isWhitespace)
        guard let peak, peak.count == 3, let kilobytes = Int(peak[1]) else {
            throw MeasurementError("no VmHWM in \(status)")
        }
        return kilobytes << 10
    }
}
