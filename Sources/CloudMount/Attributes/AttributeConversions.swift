import FileProviderEngine
import Fuse
import Glibc
import ItemStore
import ItemValues

extension IndexedItem {
    /// The file type and permissions, in the form of `st_mode`.
    var fullMode: UInt32 {
        switch item.kind {
        case .folder: UInt32(S_IFDIR) | permissions
        case .file: UInt32(S_IFREG) | permissions
        case .symbolicLink: UInt32(S_IFLNK) | 0o777
        }
    }

    private var permissions: UInt32 { UInt32(mode.map { $0 & 0o7777 } ?? givenMode) }

    /// The size in bytes; `nil` if the size is unknown until the file is fetched.
    var knownSize: Int64? {
        switch item.kind {
        case .folder: return 0
        case .symbolicLink: return item.linkTarget.map { Int64($0.utf8.count) } ?? 0
        case .file: return hasAllBytes ? localSize : item.size.map { max(0, $0) }
        }
    }

    /// The number of local bytes.
    var sizeHere: Int64 {
        content == .dataless ? 0 : localSize
    }

    /// The modification date, in seconds since 1970.
    var modifiedSeconds: Double { localModified ?? item.modified ?? item.created ?? 0 }

    /// Returns the date of the last change of contents or attributes, in seconds since 1970.
    ///
    /// - Parameter modified: The modification date of the contents.
    func changedSeconds(modified: Double) -> Double { max(modified, localChanged ?? modified) }
}

extension ItemNumber {
    /// The item's inode number, which is equal to its item number.
    var node: NodeID { NodeID(rawValue: UInt64(bitPattern: rawValue)) }

    init(_ node: NodeID) { self.init(rawValue: Int64(bitPattern: node.rawValue)) }
}

extension Timestamp {
    /// Creates a timestamp from seconds since 1970, rounded to microseconds.
    ///
    /// All dates of a mount are created in this way, including the dates of open files. The index stores dates as
    /// floating-point numbers. After a file is closed, its date is read from the index, and must equal the date that
    /// programs saw while it was open.
    init(seconds: Double) {
        let bounded = seconds.isNaN ? 0 : min(max(seconds, Self.earliest), Self.latest)
        let microseconds = Int64((bounded * 1e6).rounded())
        let (whole, rest) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
        let isNegative = rest < 0
        self.init(
            seconds: isNegative ? whole - 1 : whole,
            nanoseconds: UInt32(isNegative ? rest + 1_000_000 : rest) * 1000)
    }

    // The years from 1 to 9999. Programs cannot print other years.
    private static let earliest = -62_135_596_800.0
    private static let latest = 253_402_300_799.0

    /// The seconds since 1970, truncated to microseconds as by a file system with that resolution.
    var secondsSince1970: Double { Double(seconds) + Double(nanoseconds / 1000) / 1e6 }
}
