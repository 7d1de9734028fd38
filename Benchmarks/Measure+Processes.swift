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

    /// Returns the processor time in seconds that a process has used so far.
    static func processorSeconds(ofProcess process: String) throws -> Double {
        // The name in parentheses may contain anything. The times are the twelfth and thirteenth values after it.
        let times = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
            .split(separator: ")").last?.split(separator: " ")
        guard let times, times.count > 12, let user = Double(times[11]), let system = Double(times[12]) else {
            throw MeasurementError("no times of the process \(process)")
        }
        return (user + system) / Double(sysconf(CInt(_SC_CLK_TCK)))
    }
}
