import LinuxSystem

/// One entry of an archive, with the contents of its two headers.
struct ZipEntry {
    /// The compression method of an entry. APPNOTE 4.4.5.
    enum Method: UInt16, Sendable {
        case stored = 0
        case deflated = 8
    }

    /// The whole path in the archive. A directory's path ends with `/`.
    let path: [UInt8]
    /// The kind and permissions, as in `st_mode`.
    let mode: UInt32
    let time: ZipTime
    /// The size before compression.
    var size: Int
    var method = Method.stored
    /// The CRC-32 of the bytes before compression.
    var checksum: UInt32 = 0
    var compressedSize = 0
    /// The position of the local header.
    var offset = 0

    /// Creates an entry that is not compressed yet.
    ///
    /// - Parameters:
    ///   - status: the file's status. Permissions beyond read, write and execute are dropped, since the archive may be
    ///     unpacked by another user.
    ///   - origin: the side that chose the file: this process, or a peer.
    init(path: [UInt8], status: FileStatus, size: Int, origin: CopyOrigin) {
        self.path = path
        // The mask is fixed and independent of the process's umask, so that the same tree makes the same bytes. The
        // mode of a link has no effect.
        let isPeers = origin == .peer && status.kind != .symbolicLink
        mode = UInt32(status.mode) & (isPeers ? 0o170755 : 0o170777)
        time = ZipTime(secondsSince1970: status.modifiedSeconds)
        self.size = size
    }
}

extension ZipEntry {
    /// The limit of 32-bit fields. A value that reaches it is stored in the zip64 field instead, and the 32-bit field
    /// contains the limit. APPNOTE 4.5.3.
    static let limit32 = 0xFFFF_FFFF
    private static let zip64Field: UInt16 = 0x0001
    private static let timestampField: UInt16 = 0x5455

    private var isLarge: Bool { size >= Self.limit32 - Self.mostGrowth }
    /// An upper bound of the number of bytes by which the compressed form of a file below 4 GiB may be longer than the
    /// file: deflate adds at most 5 bytes for each block of 16 KiB.
    private static let mostGrowth = 4 << 20

    /// The general purpose flags. Bit 11 declares the path as UTF-8. An ASCII path does not need the bit. A path in
    /// another encoding is stored unchanged and without the bit.
    private var flags: UInt16 {
        let isASCII = path.allSatisfy { $0 < 0x80 }
        return !isASCII && String(validating: path, as: UTF8.self) != nil ? 1 << 11 : 0
    }

    /// The header before the entry's bytes (APPNOTE 4.3.7). Its length depends only on the path, the size and the time,
    /// so that a later version of the header can overwrite it.
    var localHeader: [UInt8] {
        var header: [UInt8] = []
        header.reserveCapacity(30 + path.count + 29)
        header.append(little: UInt32(0x0403_4B50))
        header.append(little: UInt16(isLarge ? 45 : 20))
        appendCommon(to: &header, compressed: isLarge ? Self.limit32 : compressedSize, size: min(size, Self.limit32))
        let extra = (isLarge ? 20 : 0) + timestampLength
        header.append(little: UInt16(extra))
        header.append(contentsOf: path)
        if isLarge {
            header.append(little: Self.zip64Field)
            header.append(little: UInt16(16))
            header.append(little: UInt64(size))
            header.append(little: UInt64(compressedSize))
        }
        appendTimestamp(to: &header)
        return header
    }

    /// Appends the entry's header to the central directory (APPNOTE 4.3.12).
    func appendCentralHeader(to directory: inout [UInt8]) {
        let large = [size, compressedSize, offset].filter { $0 >= Self.limit32 }
        let unix: UInt16 = 3 << 8
        directory.append(little: UInt32(0x0201_4B50))
        directory.append(little: unix | (large.isEmpty ? 30 : 45))
        directory.append(little: UInt16(large.isEmpty ? 20 : 45))
        appendCommon(
            to: &directory, compressed: min(compressedSize, Self.limit32), size: min(size, Self.limit32))
        let zip64Length = large.isEmpty ? 0 : 4 + 8 * large.count
        directory.append(little: UInt16(zip64Length + timestampLength))
        directory.append(little: UInt16(0))  // comment
        directory.append(little: UInt16(0))  // disk
        directory.append(little: UInt16(0))  // internal attributes
        let isDirectory = path.last == UInt8(ascii: "/")
        directory.append(little: mode << 16 | (isDirectory ? 0x10 : 0))
        directory.append(little: UInt32(min(offset, Self.limit32)))
        directory.append(contentsOf: path)
        if !large.isEmpty {
            directory.append(little: Self.zip64Field)
            directory.append(little: UInt16(8 * large.count))
            for value in large { directory.append(little: UInt64(value)) }
        }
        appendTimestamp(to: &directory)
    }

    private func appendCommon(to header: inout [UInt8], compressed: Int, size: Int) {
        header.append(little: flags)
        header.append(little: method.rawValue)
        header.append(little: time.time)
        header.append(little: time.date)
        header.append(little: checksum)
        header.append(little: UInt32(compressed))
        header.append(little: UInt32(size))
        header.append(little: UInt16(path.count))
    }

    private var timestampLength: Int { time.unixSeconds == nil ? 0 : 9 }

    private func appendTimestamp(to header: inout [UInt8]) {
        guard let seconds = time.unixSeconds else { return }
        header.append(little: Self.timestampField)
        header.append(little: UInt16(5))
        header.append(1)  // The time of modification only.
        header.append(little: UInt32(bitPattern: seconds))
    }
}

/// The end of an archive, with its zip64 form if a number does not fit (APPNOTE 4.3.14 to 4.3.16).
struct ZipEnd {
    let entries: Int
    let directoryOffset: Int
    let directorySize: Int

    var bytes: [UInt8] {
        var end: [UInt8] = []
        if entries >= 0xFFFF || directoryOffset >= ZipEntry.limit32 || directorySize >= ZipEntry.limit32 {
            end.append(little: UInt32(0x0606_4B50))
            end.append(little: UInt64(44))
            end.append(little: UInt16(3 << 8 | 45))
            end.append(little: UInt16(45))
            end.append(little: UInt32(0))
            end.append(little: UInt32(0))
            end.append(little: UInt64(entries))
            end.append(little: UInt64(entries))
            end.append(little: UInt64(directorySize))
            end.append(little: UInt64(directoryOffset))
            end.append(little: UInt32(0x0706_4B50))
            end.append(little: UInt32(0))
            end.append(little: UInt64(directoryOffset + directorySize))
            end.append(little: UInt32(1))
        }
        end.append(little: UInt32(0x0605_4B50))
        end.append(little: UInt16(0))
        end.append(little: UInt16(0))
        end.append(little: UInt16(min(entries, 0xFFFF)))
        end.append(little: UInt16(min(entries, 0xFFFF)))
        end.append(little: UInt32(min(directorySize, ZipEntry.limit32)))
        end.append(little: UInt32(min(directoryOffset, ZipEntry.limit32)))
        end.append(little: UInt16(0))
        return end
    }
}

extension [UInt8] {
    mutating func append(little value: some FixedWidthInteger) {
        var value = value.littleEndian
        Swift.withUnsafeBytes(of: &value) { append(contentsOf: $0) }
    }
}

/// A time in a zip archive. The MS-DOS date and time is in UTC, so that the same tree makes the same archive in every
/// time zone. The exact seconds are for readers that support the extended timestamp field.
struct ZipTime {
    /// Year since 1980 (7 bits), month (4), day (5). APPNOTE 4.4.6.
    let date: UInt16
    /// Hour (5 bits), minute (6), seconds divided by two (5).
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
