import CLinux
import Glibc

/// A time in the form that file systems store: of any year, in nanoseconds.
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

    /// Seconds since 1970, with the precision of a `Double`.
    package var secondsSince1970: Double { Double(seconds) + Double(nanoseconds) / 1e9 }

    /// Seconds since 1970, rounded to microseconds. A `Double` cannot distinguish nanoseconds in present dates. Without
    /// rounding, different conversions would result in different dates.
    package var microsecondPrecise: Double {
        let (whole, isTooFar) = seconds.multipliedReportingOverflow(by: 1_000_000)
        guard !isTooFar, whole < .max - 1_000_000 else { return Double(seconds) }
        return Double(whole + Int64(nanoseconds / 1000)) / 1e6
    }

    /// Nanoseconds since 1970; `nil` if they do not fit 64 bits.
    package var nanosecondsSince1970: Int64? {
        let (whole, isTooFar) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isTooMuch) = whole.addingReportingOverflow(Int64(nanoseconds))
        return isTooFar || isTooMuch ? nil : sum
    }
}

extension FileTime: CustomStringConvertible {
    /// Nanoseconds since 1970 if they fit 64 bits, otherwise seconds and nanoseconds.
    package var description: String { nanosecondsSince1970.map { "\($0)" } ?? "\(seconds).\(nanoseconds)" }
}

/// The system's real-time clock.
package enum WallClock {
    /// The time in seconds since 1970.
    package static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
