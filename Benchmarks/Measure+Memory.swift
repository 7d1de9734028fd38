import Foundation
import Glibc

extension Measure {
    /// The PIDs of all processes.
    static var processes: [pid_t] {
        ((try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []).compactMap { pid_t($0) }
    }

    /// Returns the peak resident memory of a process in bytes, by default of this one.
    ///
    /// It is the peak of the current program alone. The value of `getrusage` also includes the memory before exec(2),
    /// which is a copy of the parent's.
    static func peakResident(ofProcess process: String = "self") throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        let peak = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }?.split(whereSeparator: \.isWhitespace)
        guard let peak, peak.count == 3, let kilobytes = Int(peak[1]) else {
            throw MeasurementError("no VmHWM in \(status)")
        }
        return kilobytes << 10
    }
}
