import FileProvider

/// The catalogue's record of a copy in the document storage.
extension FileMoment {
    /// Not the device: some file systems get another number each time that they are mounted.
    var bytes: [UInt8] { bytesBeforeNaming + Array("-\(changed)".utf8) }

    /// The same of a file that is yet to get its name, which is a change of its own: size, date and inode.
    var bytesBeforeNaming: [UInt8] { Array("\(modified)-\(size)-\(inode)".utf8) }

    /// Whether the file is as it was noted.
    func isSame(as noted: [UInt8]) -> Bool { noted == bytes || noted == bytesBeforeNaming }

    /// Whether nothing else of the file was changed than what its size and date tell nothing of: its permissions or names, or the
    /// contents by a program that has set the date back.
    func isDatedAs(_ noted: [UInt8]) -> Bool {
        !isSame(as: noted) && noted.starts(with: bytesBeforeNaming + [UInt8(ascii: "-")])
    }

    /// Whether it is the same file as at another moment, whatever it holds.
    func isSameFile(as noted: [UInt8]) -> Bool {
        // A date before 1970 begins with a sign.
        let dash = UInt8(ascii: "-")
        let parts = noted.split(separator: dash, omittingEmptySubsequences: false)
        return parts.dropFirst(noted.first == dash ? 3 : 2).first?.elementsEqual("\(inode)".utf8) ?? false
    }
}
