import Fuse

extension Timestamp {
    /// Creates a timestamp from seconds since 1970, rounded to microseconds.
    ///
    /// All dates of a mount are created in this way, including those of open files. The index stores dates as
    /// floating-point numbers. A file's date comes from the index after the file is closed, and must not differ from
    /// its earlier date.
    init(seconds: Double) {
        let bounded = seconds.isNaN ? 0 : min(max(seconds, Self.earliest), Self.latest)
        let microseconds = Int64((bounded * 1e6).rounded())
        let (whole, rest) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
        let isNegative = rest < 0
        self.init(
            seconds: isNegative ? whole - 1 : whole,
            nanoseconds: UInt32(isNegative ? rest + 1_000_000 : rest) * 1000)
    }

    // The years from 1 to 9999, because programs print no others.
    private static let earliest = -62_135_596_800.0
    private static let latest = 253_402_300_799.0

    /// The seconds since 1970, truncated to microseconds, as on any file system with that resolution.
    var secondsSince1970: Double { Double(seconds) + Double(nanoseconds / 1000) / 1e6 }
}
