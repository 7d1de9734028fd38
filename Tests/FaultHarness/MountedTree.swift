import DaemonTesting
import FileTesting
import Foundation
import LinuxSystem

/// The attributes of an item that were set locally. The others may have any value.
package struct SetAttributes: Sendable, Equatable {
    /// The permission bits.
    package var mode: UInt16?
    /// The modification date in seconds since 1970.
    package var modified: Int?
    /// The extended attributes by name. No others may exist.
    package var extended: [String: String]

    package init(mode: UInt16? = nil, modified: Int? = nil, extended: [String: String] = [:]) {
        self.mode = mode
        self.modified = modified
        self.extended = extended
    }
}

/// The items in a mount, as programs see them.
package struct MountedTree {
    /// The tree in the form of ``Tree/read(_:)``.
    package private(set) var tree: [String: String] = [:]
    /// Losses for names that a listing contains twice or that lead to no item, and for items that cannot be read.
    package private(set) var losses: [Loss] = []

    private let mount: String

    package init(_ mount: String) throws {
        self.mount = mount
        try read("")
    }

    private mutating func read(_ prefix: String) throws {
        let folder = try FileDescriptor.open(mount + "/" + prefix, [.readOnly, .directory])
        // A list keeps a name that the directory lists twice.
        let names = try folder.entries().map(\.name.description)
        for name in Self.repeated(names) {
            losses.append(Loss(.duplicate, prefix + name, "its folder lists it twice"))
        }
        for name in names {
            do {
                try note(prefix + name)
            } catch {
                losses.append(Loss(.unreachable, prefix + name, "it is listed, and cannot be read: \(error)"))
            }
        }
    }

    /// Returns the names that occur more than once in a list, once for each repetition.
    package static func repeated(_ names: [String]) -> [String] {
        var seen: Set<String> = []
        return names.filter { !seen.insert($0).inserted }
    }

    private mutating func note(_ path: String) throws {
        let whole = mount + "/" + path
        switch try FileStatus.of(whole, followingLinks: false).kind {
        case .directory:
            tree[path] = "folder"
            try read(path + "/")
        case .symbolicLink:
            tree[path] = "-> " + (try FileManager.default.destinationOfSymbolicLink(atPath: whole))
        default:
            tree[path] = try Files.read(whole)
        }
    }

    /// Returns losses for the attributes that differ from those set locally.
    package func differences(_ attributes: [String: SetAttributes]) throws -> [Loss] {
        var losses: [Loss] = []
        for (path, wanted) in attributes.sorted(by: { $0.key < $1.key }) {
            let status = try FileStatus.of(mount + "/" + path, followingLinks: false)
            let mode = UInt16(truncatingIfNeeded: status.mode & 0o7777)
            if let set = wanted.mode, set != mode {
                let words = "its mode is \(String(mode, radix: 8)) instead of \(String(set, radix: 8))"
                losses.append(Loss(.lostEdit, path, words))
            }
            if let set = wanted.modified, set != status.modifiedSeconds {
                losses.append(Loss(.lostEdit, path, "its date is \(status.modifiedSeconds) instead of \(set)"))
            }
            let file = try FileDescriptor.open(mount + "/" + path, .readOnly)
            let names = try file.attributeNames()
            let found = Dictionary(names.map { ($0, file.attribute($0) ?? "") }) { "\($0), \($1)" }
            if found != wanted.extended {
                losses.append(Loss(.lostEdit, path, "its attributes are \(found) instead of \(wanted.extended)"))
            }
        }
        return losses
    }
}
