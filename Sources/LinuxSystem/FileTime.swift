import CLinux
import Glibc

/// A time as file systems store it, with a resolution of one nanosecond and for any year.
package struct FileTime: Hashable, Sendable {
    /// Whole seconds since 1970, rounded down.
    package let seconds: Int64
    /// The number of nanoseconds after `seconds`.
    package let nanoseconds: Int32

    package init(seconds: Int64, nanoseconds: Int32) {
        self.seconds = seconds
        self.nanoseconds = nanoseconds
    }

    package init(_ time: timespec) {
        self.init(seconds: Int64(time.tv_sec), nanoseconds: Int32(truncatingIfNeeded: time.tv_nsec))
    }

    /// The time in seconds since 1970, with the precision of a `Double`.
    package var secondsSince1970: Double { Double(seconds) + Double(nanoseconds) / 1e9 }

    /// The time in seconds since 1970, rounded to microseconds. For today's dates, a `Double` cannot represent
    /// nanoseconds. Without rounding, two ways of converting the same time would result in different dates.
    package var microsecondPrecise: Double {
        let (whole, isTooFar) = seconds.multipliedReportingOverflow(by: 1_000_000)
        guard !isTooFar, whole < .max - 1_000_000 else { return Double(seconds) }
        return Double(whole + Int64(nanoseconds / 1000)) / 1e6
    }

    /// The time in nanoseconds since 1970; `nil` if the number is outside the range of `Int64`.
    package var nanosecondsSince1970: Int64? {
        let (whole, isTooFar) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isTooMuch) = whole.addingReportingOverflow(Int64(nanoseconds))
        return isTooFar || isTooMuch ? nil : sum
    }
}

extension FileTime: CustomStringConvertible {
    /// The number of nanoseconds since 1970. If it is outside the range of `Int64`, the seconds and the nanoseconds
    /// instead.
    package var description: String { nanosecondsSince1970.map { "\($0)" } ?? "\(seconds).\(nanoseconds)" }
}

/// The system's real-time clock.
package enum WallClock {
    /// The current time in seconds since 1970.
    package static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
