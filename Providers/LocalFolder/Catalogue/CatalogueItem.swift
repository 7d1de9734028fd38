import CLinux
import Glibc
import LinuxSystem

/// What the catalogue knows of one file, folder or link of the served folder.
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
            // Pipes, sockets and devices mean something on their own machine only.
            case .fifo, .socket, .characterDevice, .blockDevice, .unknown: return nil
            }
        }
    }

    /// What the file system says of it, as far as it matters.
    package struct Facts: Sendable, Equatable {
        package var kind: Kind
        /// 0 for what lies on another device than the folder itself, whose numbers say nothing here.
        var inode: UInt64
        /// The date at which it was made, in nanoseconds since 1970; 0 if the file system does not know. An inode that is given to another
        /// file has another one.
        var birth: Int64 = 0
        package var size: Int64
        package var modified: FileTime
        /// The date of a file's last change of any kind (ctime), in nanoseconds since 1970; 0 if it is not known. No program can set it.
        var changed: Int64 = 0
        /// The number of a file's names.
        var links: Int64 = 0
        package var permissions: mode_t
        /// Of a link.
        package var target: [UInt8]
    }

    /// Its number in the catalogue; the root's is ``root``.
    package let number: Int64
    package var parent: Int64
    /// Its name's bytes, UTF-8 or not.
    package var name: [UInt8]
    package var facts: Facts
    /// Whether it is there no more.
    package var isGone = false
    /// A number that tells contents of the same size and date apart; 0 for the first ones.
    package var contents: Int64 = 0
    /// Whether its own folder was ever listed; of a folder.
    var isListed = false
    /// The folder that it was moved out of last, 0 where it never was.
    package var formerParent: Int64 = 0

    package static let root: Int64 = 1
    /// What the items in the trash have as their parent.
    package static let trash: Int64 = -1

    /// A change of it means other contents: a file that is written, or another file that takes its place.
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

    /// A change of it means another name, place or mode.
    package var metadataVersion: [UInt8] {
        // The name itself may be as long as a version may be.
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in name { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        var text = VersionText()
        text.add(parent)
        text.addDash()
        text.add(hash, radix: 16)
        text.addDash()
        text.add(facts.permissions)
        return text.bytes
    }

    /// The name for people and for Swift: what is not UTF-8 in it is replaced.
    package var filename: String { String(decoding: name, as: UTF8.self) }
}

extension CatalogueItem.Facts {
    /// - Parameter device: the device of the served folder.
    init?(_ status: FileStatus, birth: Int64 = 0, device: UInt64, target: [UInt8] = []) {
        guard let kind = CatalogueItem.Kind(status.kind) else { return nil }
        self.kind = kind
        self.birth = birth
        inode = status.identity.device == device ? status.identity.inode : 0
        // A folder's own size says nothing.
        size = kind == .folder ? 0 : Int64(status.size)
        modified = status.modificationTime
        if kind == .file { (changed, links) = (status.changedNanoseconds, Int64(status.linkCount)) }
        permissions = status.permissions
        self.target = target
    }

    /// Whether another name with these facts is this item that was moved. A number that was given to another file meanwhile
    /// comes with another date.
    func isSame(as other: CatalogueItem.Facts) -> Bool {
        guard inode != 0, isSameFile(as: other), kind == other.kind else { return false }
        return kind == .folder || (size == other.size && modified == other.modified)
    }

    /// Whether these are of one file of the file system, whatever it holds.
    func isSameFile(as other: CatalogueItem.Facts) -> Bool {
        inode == other.inode && (birth == other.birth || birth == 0 || other.birth == 0)
    }

    /// Whether the file of these is one of others, by the inode with its birth.
    func isFile(among others: [UInt64: Int64]) -> Bool {
        others[inode].map { $0 == birth || $0 == 0 || birth == 0 } ?? false
    }

    /// Whether a file that is open has the size and the dates of these.
    func describe(_ status: FileStatus) -> Bool {
        size == Int64(status.size) && modified == status.modificationTime
            && (changed == 0 || changed == status.changedNanoseconds)
    }

    /// Whether a file may have other contents than it had with the facts before, whatever its size and date say: programs set dates
    /// back, and then only the date of the last change of any kind has moved. Where that is the date of another change that can be
    /// seen, it is taken for that one alone.
    ///
    /// - Parameter isMoved: whether its name or place is another one.
    func hasOtherContents(than before: CatalogueItem.Facts, isMoved: Bool) -> Bool {
        guard kind == .file else { return false }
        if size != before.size || modified != before.modified || !isSameFile(as: before) { return true }
        if changed == before.changed || before.changed == 0 { return false }
        return !isMoved && permissions == before.permissions && links == before.links
    }
}
