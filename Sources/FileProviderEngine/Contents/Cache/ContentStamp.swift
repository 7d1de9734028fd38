import Glibc
import ItemStore
import LinuxSystem

/// The size and times of a file, by which writes to it are detected.
typealias FileFingerprint = JournalEntry.Fingerprint

extension JournalEntry.Fingerprint {
    init(_ status: FileStatus) {
        self.init(
            size: Int64(status.size), modifiedNanoseconds: status.modifiedNanoseconds,
            changedNanoseconds: status.changedNanoseconds)
    }

    /// Sets the modification date of a clean file, by which recovery identifies the file. The date is the provider's,
    /// or 1970 if the provider reports none.
    ///
    /// - Parameter modified: The date in seconds since 1970.
    static func date(_ file: FileDescriptor, _ modified: Double?) throws(Errno) {
        let times = [timespec(tv_sec: 0, tv_nsec: omitted), timespec(seconds: modified ?? 0)]
        try retrying { futimens(file.rawValue, times) }
    }

    /// The value of `UTIME_OMIT` (utimensat(2)), a macro that Swift does not import.
    private static let omitted = (1 << 30) - 2
}

extension FileStatus {
    /// The modification date in seconds since 1970, with microsecond precision. The index stores the same value when a
    /// file is closed.
    package var modifiedDate: Double { modificationTime.microsecondPrecise }
}

extension timespec {
    /// Creates a time from seconds since 1970. A time that ext4 cannot represent is replaced by the nearest one that it
    /// can represent. A value that is not finite is replaced by 1970.
    init(seconds: Double) {
        // ext4 represents 1901 to 2446. Other file systems have wider ranges, which differ from each other.
        let bounded = seconds.isFinite ? min(max(seconds, -2_147_483_648), 15_032_385_535) : 0
        let whole = bounded.rounded(.down)
        self.init(tv_sec: Int(whole), tv_nsec: min(999_999_999, Int((bounded - whole) * 1e9)))
    }
}
