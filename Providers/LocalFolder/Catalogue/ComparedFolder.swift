import LinuxSystem

/// A directory, and those names in it that are to be compared.
struct ComparedFolder {
    let number: Int64
    /// The directory; `nil` if the directory does not exist, and therefore contains no names.
    let descriptor: FileDescriptor?
    /// The device of the served directory.
    let device: UInt64
    let names: FolderNames
    /// Whether `names` are all names in the directory.
    let isWhole: Bool

    /// Returns the attributes of the file with the given name, or `nil` if the file was removed or files of its kind
    /// are not served.
    func facts(of bytes: [UInt8]) throws -> CatalogueItem.Facts? {
        guard let descriptor, let name = FileName(bytes: bytes) else { return nil }
        do throws(Errno) {
            let (status, birth) = try descriptor.statusAndBirth(of: name)
            let target = status.kind == .symbolicLink ? try descriptor.target(ofLink: name) : []
            return CatalogueItem.Facts(status, birth: birth, device: device, target: target)
        } catch {
            guard error == .noSuchFile else { throw error }
            return nil
        }
    }

    /// Returns the files whose names are in the given range of `names`. Removed files are left out.
    func files(_ range: Range<Int>) throws -> [FoundFile] {
        try range.compactMap { index in
            let name = names[index]
            return try facts(of: name).map { FoundFile(name: name, facts: $0) }
        }
    }
}

/// A name in a directory, and the attributes of its file.
struct FoundFile: Sendable {
    let name: [UInt8]
    let facts: CatalogueItem.Facts
    /// The value of ``CatalogueItem/contents`` for a new item.
    var contents: Int64 = 0
}
