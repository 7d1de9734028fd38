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
        package var size: Int64
        /// Nanoseconds since 1970.
        package var modified: Int64
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
    package var isGone: Bool
    /// Whether its own folder was ever listed; of a folder.
    var isListed: Bool
    /// The folder that it was moved out of last, 0 where it never was.
    package var formerParent: Int64

    package static let root: Int64 = 1
    /// What the items in the trash have as their parent.
    package static let trash: Int64 = -1

    /// A change of it means other contents: a file that is written, or another file that takes its place.
    package var contentVersion: [UInt8] {
        guard facts.kind == .file else { return [] }
        return Array("\(facts.modified)-\(facts.size)-\(facts.inode)".utf8)
    }

    /// A change of it means another name, place or mode.
    package var metadataVersion: [UInt8] {
        // The name itself may be as long as a version may be.
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in name { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return Array("\(parent)-\(String(hash, radix: 16))-\(facts.permissions)".utf8)
    }

    /// The name for people and for Swift: what is not UTF-8 in it is replaced.
    package var filename: String { String(decoding: name, as: UTF8.self) }
}

extension CatalogueItem.Facts {
    /// - Parameter device: the device of the served folder.
    init?(_ status: FileStatus, device: UInt64, target: [UInt8] = []) {
        guard let kind = CatalogueItem.Kind(status.kind) else { return nil }
        self.kind = kind
        inode = status.identity.device == device ? status.identity.inode : 0
        // A folder's own size says nothing.
        size = kind == .folder ? 0 : Int64(status.size)
        modified = status.modifiedNanoseconds
        permissions = status.permissions
        self.target = target
    }

    /// Whether another name with these facts is this item that was moved. A number that was given to another file meanwhile
    /// comes with another date.
    func isSame(as other: CatalogueItem.Facts) -> Bool {
        guard inode != 0, inode == other.inode, kind == other.kind else { return false }
        return kind == .folder || (size == other.size && modified == other.modified)
    }
}
