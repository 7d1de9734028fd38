import CLinux
import Glibc
import LinuxSystem

/// The catalogue's record of one file, directory or symbolic link of the served directory.
package struct CatalogueItem: Sendable, Equatable {
    package enum Kind: Int64, Sendable {
        case file = 0
        case folder = 1
        case symbolicLink = 2

        init?(_ kind: FileStatus.Kind) {
            switch kind {
            case .regular: self = .file
            case .directory: self = .folder
            case .symbolicLink: self = .symbolicLink
            // Pipes, sockets and devices only work on their own machine.
            case .fifo, .socket, .characterDevice, .blockDevice, .unknown: return nil
            }
        }
    }

    /// The attributes of a file that the catalogue uses.
    package struct Facts: Sendable, Equatable {
        package var kind: Kind
        /// The inode number. It is 0 for a file on a device other than that of the served directory, because inode
        /// numbers are unique only within a device.
        var inode: UInt64
        /// The birth time, in nanoseconds since 1970; 0 if the file system does not record it. If a new file gets the
        /// inode number of a removed file, the birth times of the two files differ.
        var birth: Int64 = 0
        package var size: Int64
        package var modified: FileTime
        /// The ctime of a file, in nanoseconds since 1970; 0 if it is unknown. Programs cannot set it.
        var changed: Int64 = 0
        /// The number of a file's hard links.
        var links: Int64 = 0
        package var permissions: mode_t
        /// The target of a symbolic link.
        package var target: [UInt8]
    }

    /// The item's number in the catalogue; the root's is ``root``.
    package let number: Int64
    package var parent: Int64
    /// The bytes of the name, UTF-8 or not.
    package var name: [UInt8]
    package var facts: Facts
    /// Whether the item does not exist any more.
    package var isGone = false
    /// The ctime of the last change of the contents, which distinguishes contents with the same size and date; 0 if the
    /// contents never changed. For a new item whose inode number another file had before: the file's birth time, or its
    /// ctime if the birth time is unknown.
    package var contents: Int64 = 0
    /// Whether a directory was ever listed.
    var isListed = false
    /// The directory that the item was last moved out of; 0 if the item was never moved.
    package var formerParent: Int64 = 0

    package static let root: Int64 = 1
    /// The parent number of the items in the trash.
    package static let trash: Int64 = -1

    /// The version of the contents. It changes when the file is written, or when another file replaces it.
    package var contentVersion: [UInt8] {
        guard facts.kind == .file else { return [] }
        var text = VersionText()
        text.add(facts.modified)
        text.addDash()
        text.add(facts.size)
        text.addDash()
        text.add(facts.inode)
        if contents != 0 {
            text.addDash()
            text.add(contents)
        }
        return text.bytes
    }

    /// The version of name, parent and mode.
    package var metadataVersion: [UInt8] {
        // The name is hashed, because the length of a version is limited, and the name alone may reach that limit.
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in name { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        var text = VersionText()
        text.add(parent)
        text.addDash()
        text.add(hexadecimal: hash)
        text.addDash()
        text.add(facts.permissions)
        return text.bytes
    }

    /// The name as text. Invalid UTF-8 is replaced.
    package var filename: String { String(decoding: name, as: UTF8.self) }
}

extension CatalogueItem.Facts {
    /// Creates the attributes from a file's status. Returns `nil` if files of this kind are not served.
    ///
    /// - Parameter device: the device of the served directory.
    init?(_ status: FileStatus, birth: Int64 = 0, device: UInt64, target: [UInt8] = []) {
        guard let kind = CatalogueItem.Kind(status.kind) else { return nil }
        self.kind = kind
        self.birth = birth
        inode = status.identity.device == device ? status.identity.inode : 0
        // The size of a directory has no meaning.
        size = kind == .folder ? 0 : Int64(status.size)
        modified = status.modificationTime
        if kind == .file { (changed, links) = (status.changedNanoseconds, Int64(status.linkCount)) }
        permissions = status.permissions
        self.target = target
    }

    /// Whether these attributes and the given ones belong to the same item, even if its file was moved. A new file that
    /// got the inode number of a removed one has another birth time.
    func isSame(as other: CatalogueItem.Facts) -> Bool {
        guard inode != 0, isSameFile(as: other), kind == other.kind else { return false }
        return kind == .folder || (size == other.size && modified == other.modified)
    }

    /// Whether these attributes and the given ones belong to the same file in the file system, regardless of its
    /// contents.
    func isSameFile(as other: CatalogueItem.Facts) -> Bool {
        inode == other.inode && (birth == other.birth || birth == 0 || other.birth == 0)
    }

    /// Whether the file is among the given files, whose birth times are listed by inode number.
    func isFile(among others: [UInt64: Int64]) -> Bool {
        others[inode].map { $0 == birth || $0 == 0 || birth == 0 } ?? false
    }

    /// Whether an open file has the size and the dates in these attributes.
    func describe(_ status: FileStatus) -> Bool {
        size == Int64(status.size) && modified == status.modificationTime
            && (changed == 0 || changed == status.changedNanoseconds)
    }

    /// Whether size, date or inode show that a file's contents have changed since it had the earlier attributes.
    func hasOtherContents(than before: CatalogueItem.Facts) -> Bool {
        guard kind == .file else { return false }
        return size != before.size || modified != before.modified || !isSameFile(as: before)
    }

    /// Whether only the ctime shows that a file was changed since it had the earlier attributes. A program may have
    /// written to it and set the date back, or only have changed its name, place, permissions or links.
    func isChangedUnseen(since before: CatalogueItem.Facts) -> Bool {
        kind == .file && changed != before.changed && before.changed != 0
    }
}
