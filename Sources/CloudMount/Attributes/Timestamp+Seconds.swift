import CLinux
import Fuse
import LinuxSystem

extension Timestamp {
    /// A moment from seconds since 1970, to the microsecond.
    ///
    /// Every date that is shown goes through here, those of open files too: the index keeps seconds as floating-point
    /// numbers, and a file must not seem changed because its date is read from there after it was closed.
    init(seconds: Double) {
        guard seconds.isFinite, abs(seconds) < 1e11 else {
            self.init(seconds: 0, nanoseconds: 0)
            return
        }
        let microseconds = Int64((seconds * 1e6).rounded())
        let (whole, rest) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
        let isNegative = rest < 0
        self.init(
            seconds: isNegative ? whole - 1 : whole,
            nanoseconds: UInt32(isNegative ? rest + 1_000_000 : rest) * 1000)
    }

    /// Seconds since 1970.
    var secondsSince1970: Double { Double(seconds) + Double(nanoseconds) / 1e9 }
}

extension FileStatus {
    /// When the contents were changed last; seconds since 1970.
    var modifiedSeconds: Double { Double(modified.tv_sec) + Double(modified.tv_nsec) / 1e9 }
}
