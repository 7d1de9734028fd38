/// A time in a zip archive. The MS-DOS date and time is in UTC, so that the same tree makes the same archive in every
/// time zone. The exact seconds are for readers that support the extended timestamp field.
struct ZipTime {
    /// Year since 1980 (7 bits), month (4), day (5). APPNOTE 4.4.6.
    let date: UInt16
    /// Hour (5 bits), minute (6), half seconds (5).
    let time: UInt16
    /// Seconds since 1970; `nil` if they do not fit into 32 bits.
    let unixSeconds: Int32?

    /// Converts a time. A time before 1980 or after 2107 is clamped to the format's range.
    init(secondsSince1970 seconds: Int) {
        unixSeconds = Int32(exactly: seconds)
        let clamped = min(max(seconds, 315_532_800), 4_354_819_198)
        let (days, inDay) = clamped.quotientAndRemainder(dividingBy: 86400)
        let (year, month, day) = Self.civil(daysSince1970: days)
        date = UInt16((year - 1980) << 9 | month << 5 | day)
        time = UInt16((inDay / 3600) << 11 | (inDay / 60 % 60) << 5 | (inDay % 60) / 2)
    }

    /// Returns the date in the Gregorian calendar. Counts in eras of 400 years that begin in March, so that the leap
    /// day is the last day of a year.
    private static func civil(daysSince1970: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = daysSince1970 + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }
}
