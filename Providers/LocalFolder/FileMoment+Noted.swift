import FileProvider
import FileProviderWire

/// Encodes a file's status for the catalogue's record of a copy in the document storage.
extension FileMoment {
    /// The record of this file. It does not include the device, because some file systems get a new device number at
    /// each mount.
    var bytes: [UInt8] { bytesBeforeNaming + Array("-\(changed)".utf8) }

    /// The record of a file that has no name yet: size, date and inode. It does not include the ctime, because renaming
    /// changes it.
    var bytesBeforeNaming: [UInt8] { Array("\(modified)-\(size)-\(inode)".utf8) }

    /// Whether the file is unchanged since the record.
    func isSame(as noted: [UInt8]) -> Bool { noted == bytes || noted == bytesBeforeNaming }

    /// Whether size, date and inode are as recorded and only the ctime differs. Either permissions or names were
    /// changed, or a program wrote the contents and set the date back.
    func isDatedAs(_ noted: [UInt8]) -> Bool {
        !isSame(as: noted) && noted.starts(with: bytesBeforeNaming + [UInt8(ascii: "-")])
    }

    /// Whether the record belongs to the same file, regardless of its contents.
    func isSameFile(as noted: [UInt8]) -> Bool {
        // A date before 1970 begins with a sign.
        let dash = UInt8(ascii: "-")
        let parts = noted.split(separator: dash, omittingEmptySubsequences: false)
        return parts.dropFirst(noted.first == dash ? 3 : 2).first?.elementsEqual("\(inode)".utf8) ?? false
    }
}
