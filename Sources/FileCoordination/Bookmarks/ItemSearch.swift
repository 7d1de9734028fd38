import Foundation
import Glibc
import LinuxSystem

/// An item that was found, held by a descriptor of its path, so that a rename from now on does not lose it.
package struct FoundItem: Sendable {
    package let descriptor: FileDescriptor
    package let path: String

    /// What has a path now. A symbolic link is not followed.
    package init(at path: String) throws(Errno) {
        descriptor = try .open(path, [.pathOnly, .noFollow])
        self.path = path
    }

    /// An open file and where it was when it was opened.
    package init(_ descriptor: FileDescriptor, path: String) {
        self.descriptor = descriptor
        self.path = path
    }
}

/// Finds an item by its identity.
///
/// Where it was; by its handle, which only a process with CAP_DAC_READ_SEARCH may open; at the same place of its file system where
/// that is mounted elsewhere; and by its inode in the folders around the place where it was and in the home folder. That last
/// search looks at a limited number of names, on one file system: an item that was moved farther away is not found.
struct ItemSearch {
    let identity: ItemIdentity
    /// The absolute paths where it may be, the likeliest first.
    let paths: [String]
    /// The path as its file system has it.
    let inside: String?

    /// How many names a search looks at: fewer where something else has the item's path, because then the item has most likely
    /// been replaced by that. How many folders above it begins, and how deep it goes.
    private static let entryLimit = 200_000
    private static let entryLimitWhenReplaced = 20_000
    private static let foldersAbove = 4
    private static let depthLimit = 8

    /// Blocks on the file system.
    func find() -> FoundItem? {
        for path in paths {
            if let item = check(path) { return item }
        }
        let mounts = (try? MountTable.current())?.mounts ?? []
        if let item = findByHandle(mounts) ?? findElsewhereMounted(mounts) { return item }
        return searchAround(mounts)
    }

    private func check(_ path: String) -> FoundItem? {
        guard let item = try? FoundItem(at: path), let there = try? ItemIdentity(of: item.descriptor),
            there.isSame(as: identity)
        else { return nil }
        return item
    }

    private func findByHandle(_ mounts: [Mount]) -> FoundItem? {
        guard let handle = identity.handle else { return nil }
        var folders = paths.first.flatMap { deepestFolder(of: $0) }.map { [$0] } ?? []
        for mount in mounts where mount.device == identity.device {
            if let folder = try? FileDescriptor.open(mount.point, [.readOnly, .nonBlocking]) { folders.append(folder) }
        }
        for folder in folders {
            do throws(Errno) {
                let file = try folder.open(handle, .pathOnly)
                // The kernel may not know its whole path at once; what it says has to lead there.
                if let path = file.path, let item = check(path) { return item }
            } catch .notPermitted {
                return nil
            } catch {
                continue
            }
        }
        return nil
    }

    /// The folder nearest to a path that is there, open.
    private func deepestFolder(of path: String) -> FileDescriptor? {
        var folder = Bookmark.folder(of: path)
        while true {
            if let open = try? FileDescriptor.open(folder, [.readOnly, .directory]) { return open }
            if folder == "/" { return nil }
            folder = Bookmark.folder(of: folder)
        }
    }

    /// Whether the item is not to be looked for there: a server that hangs would hold up the search for what it has nothing to do with.
    private func isOther(_ mount: Mount) -> Bool { mount.isServed && mount.device != identity.device }

    private func findElsewhereMounted(_ mounts: [Mount]) -> FoundItem? {
        guard let inside else { return nil }
        for mount in mounts where !isOther(mount) {
            if let path = mount.path(of: inside), !paths.contains(path), let item = check(path) { return item }
        }
        return nil
    }

    private func searchAround(_ mounts: [Mount]) -> FoundItem? {
        let isReplaced = paths.contains { (try? FileStatus.of($0, followingLinks: false)) != nil }
        let limit = isReplaced ? Self.entryLimitWhenReplaced : Self.entryLimit
        var search = BoundedSearch(
            inode: identity.inode, entriesLeft: limit, depthLimit: Self.depthLimit,
            others: Set(mounts.lazy.filter(isOther).map(\.point)), check: check)
        for path in paths {
            var folder = Bookmark.folder(of: path)
            for _ in 0..<Self.foldersAbove where folder != "/" {
                if let item = search.look(beneath: folder) { return item }
                folder = Bookmark.folder(of: folder)
            }
        }
        let home = NSHomeDirectory()
        for folder in [home, home + "/.local/share/Trash/files"] {
            guard let open = try? FileDescriptor.open(folder, [.readOnly, .directory]),
                let there = try? ItemIdentity(of: open), there.isOnSameFileSystem(as: identity)
            else { continue }
            if let item = search.look(beneath: folder, includingHidden: false) { return item }
        }
        return nil
    }
}

/// Looks through folders, those nearest to where it begins first, none twice, until it has looked at so many names.
private struct BoundedSearch {
    private let inode: UInt64
    private var entriesLeft: Int
    private let depthLimit: Int
    private let others: Set<String>
    private let check: (_ path: String) -> FoundItem?
    private var seen: Set<FileStatus.Identity> = []

    /// - Parameters:
    ///   - others: where other file systems are mounted that may not answer.
    ///   - check: asked of what has the inode.
    init(
        inode: UInt64, entriesLeft: Int, depthLimit: Int, others: Set<String>,
        check: @escaping (_ path: String) -> FoundItem?
    ) {
        self.inode = inode
        self.entriesLeft = entriesLeft
        self.depthLimit = depthLimit
        self.others = others
        self.check = check
    }

    /// Looks on the file system of the root only.
    mutating func look(beneath root: String, includingHidden: Bool = true) -> FoundItem? {
        guard let device = try? FileStatus.of(root).identity.device else { return nil }
        var waiting = [(path: root, depth: 0)]
        var next = 0
        while next < waiting.count, entriesLeft > 0 {
            let (path, depth) = waiting[next]
            next += 1
            // The root may be reached through a link, as home folders are; below it none is followed.
            let links: FileDescriptor.OpenOptions = depth == 0 ? [] : .noFollow
            guard let folder = try? FileDescriptor.open(path, links.union([.readOnly, .directory, .nonBlocking])),
                let status = try? folder.status(), status.identity.device == device,
                seen.insert(status.identity).inserted, let entries = try? folder.entries()
            else { continue }
            entriesLeft -= entries.count
            let prefix = path == "/" ? "/" : path + "/"
            for entry in entries {
                if entry.inode == inode, let item = check(prefix + entry.name.description) { return item }
                guard entry.kind == nil || entry.kind == .directory, depth < depthLimit else { continue }
                let name = entry.name.description
                guard includingHidden || !name.hasPrefix("."), !others.contains(prefix + name) else { continue }
                waiting.append((prefix + name, depth + 1))
            }
        }
        return nil
    }
}
