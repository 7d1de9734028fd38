import CLinux
import Glibc

/// A moment as file systems keep it: of any year, to the nanosecond.
package struct FileTime: Hashable, Sendable {
    /// Whole seconds since 1970, rounded down.
    package let seconds: Int64
    /// Nanoseconds after that second.
    package let nanoseconds: Int32

    package init(seconds: Int64, nanoseconds: Int32) {
        self.seconds = seconds
        self.nanoseconds = nanoseconds
    }

    package init(_ time: timespec) {
        self.init(seconds: Int64(time.tv_sec), nanoseconds: Int32(truncatingIfNeeded: time.tv_nsec))
    }

    /// Seconds since 1970, as precise as a floating-point number is.
    package var secondsSince1970: Double { Double(seconds) + Double(nanoseconds) / 1e9 }

    /// Seconds since 1970, to the microsecond: floating-point numbers tell no nanoseconds of these years apart, and each way of
    /// rounding them would give another date.
    package var microsecondPrecise: Double {
        let (whole, isTooFar) = seconds.multipliedReportingOverflow(by: 1_000_000)
        guard !isTooFar, whole < .max - 1_000_000 else { return Double(seconds) }
        return Double(whole + Int64(nanoseconds / 1000)) / 1e6
    }
}

extension FileTime: CustomStringConvertible {
    /// Nanoseconds since 1970 as far as an integer of 64 bits counts them, seconds and nanoseconds beyond.
    package var description: String {
        let (whole, isTooFar) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isTooMuch) = whole.addingReportingOverflow(Int64(nanoseconds))
        return isTooFar || isTooMuch ? "\(seconds).\(nanoseconds)" : "\(sum)"
    }
}
