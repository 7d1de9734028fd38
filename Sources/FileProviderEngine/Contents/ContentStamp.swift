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
    package var modifiedDate: Double { modificationTime.microsecondPrecise }
}

extension timespec {
    /// From seconds since 1970; what no file system can hold becomes the nearest that it can.
    init(seconds: Double) {
        // ext4 has dates from 1901 to 2446. Others have more, and would not hold those of one another.
        let bounded = seconds.isFinite ? min(max(seconds, -2_147_483_648), 15_032_385_535) : 0
        let whole = bounded.rounded(.down)
        self.init(tv_sec: Int(whole), tv_nsec: min(999_999_999, Int((bounded - whole) * 1e9)))
    }
}
