import Glibc
import LinuxSystem

/// What a file system says of a file that tells whether it was written to.
typealias ContentStamp = JournalEntry.FileMark

extension JournalEntry.FileMark {
    init(_ status: FileStatus) {
        self.init(
            size: Int64(status.size), modifiedNanoseconds: status.modifiedNanoseconds,
            changedNanoseconds: status.changedNanoseconds)
    }

    /// When the contents were changed last; seconds since 1970, to the microsecond.
    var modifiedSeconds: Double {
        // Floating-point numbers tell no nanoseconds of these years apart. Each way of rounding them would give another date.
        let parts = modifiedNanoseconds.quotientAndRemainder(dividingBy: 1000)
        return Double(parts.remainder < 0 ? parts.quotient - 1 : parts.quotient) / 1e6
    }

    /// Gives the file of clean contents the date by which it is known again: the provider's, or that of 1970.
    static func date(_ file: FileDescriptor, _ modified: Double?) throws(Errno) {
        let times = [timespec(tv_sec: 0, tv_nsec: omitted), timespec(seconds: modified ?? 0)]
        try retrying { futimens(file.rawValue, times) }
    }

    /// `UTIME_OMIT` of utimensat(2), a macro that Swift does not see.
    private static let omitted = (1 << 30) - 2
}

extension FileStatus {
    /// When the contents were changed last; seconds since 1970, the same number that the index has of a file that was closed like
    /// this.
    package var modifiedDate: Double { ContentStamp(self).modifiedSeconds }
}

extension timespec {
    /// From seconds since 1970; what no file system can hold becomes the nearest that it can.
    init(seconds: Double) {
        let bounded = seconds.isFinite ? min(max(seconds, -2_000_000_000), 15_000_000_000) : 0
        let whole = bounded.rounded(.down)
        self.init(tv_sec: Int(whole), tv_nsec: min(999_999_999, Int((bounded - whole) * 1e9)))
    }
}
