import Foundation
import Glibc
import LinuxSystem

/// An item that was found. Its open descriptor stays valid if the item is renamed.
package struct ResolvedItem: Sendable {
    package let descriptor: FileDescriptor
    package let path: String

    /// Opens the item that is at a path now. A symbolic link is not followed.
    package init(at path: String) throws(Errno) {
        descriptor = try .open(path, [.pathOnly, .noFollow])
        self.path = path
    }

    /// Creates an item from an open file's descriptor and the path under which the file was opened.
    package init(_ descriptor: FileDescriptor, path: String) {
        self.descriptor = descriptor
        self.path = path
    }
}

/// A search for an item by its identity.
///
/// It tries, in this order:
/// - the known paths;
/// - the file handle, which only a process with CAP_DAC_READ_SEARCH may open;
/// - the item's path within its file system, at other mount points of the file system;
/// - the inode number, in the directories around the known paths and in the home directory.
///
/// The last step examines a limited number of names, on one file system. An item that was moved farther away is not
/// found.
struct ItemSearch {
    let identity: ItemIdentity
    /// The absolute paths at which the item may be, the likeliest first.
    let paths: [String]
    /// The item's path relative to the root of its file system; `nil` if it is unknown.
    let inside: String?

    /// The maximum number of names that the search around the known paths examines.
    private static let entryLimit = 200_000
    /// The limit that replaces `entryLimit` if another item exists at a known path. This other item has most likely
    /// replaced the item that is searched for.
    private static let entryLimitWhenReplaced = 20_000
    /// The number of directories above a known path at which the search begins.
    private static let foldersAbove = 4
    /// The maximum depth of the search beneath each of these directories.
    private static let depthLimit = 8

    /// Finds the item. Blocks on the file system.
    func find() -> ResolvedItem? {
        for path in paths {
            if let item = check(path) { return item }
        }
        let mounts = (try? MountTable.current())?.mounts ?? []
        if let item = findByHandle(mounts) ?? findElsewhereMounted(mounts) { return item }
        return searchAround(mounts)
    }

    private func check(_ path: String) -> ResolvedItem? {
        guard let item = try? ResolvedItem(at: path), let there = try? ItemIdentity(of: item.descriptor),
            there.isSame(as: identity)
        else { return nil }
        return item
    }

    private func findByHandle(_ mounts: [Mount]) -> ResolvedItem? {
        guard let handle = identity.handle else { return nil }
        var folders = paths.first.flatMap { deepestFolder(of: $0) }.map { [$0] } ?? []
        for mount in mounts where mount.device == identity.device {
            if let folder = try? FileDescriptor.open(mount.point, [.readOnly, .nonBlocking]) { folders.append(folder) }
        }
        for folder in folders {
            do throws(Errno) {
                let file = try folder.open(handle, .pathOnly)
                // The kernel may not know the whole path of a file that was opened by its handle, so the path is
                // checked.
                if let path = file.path, let item = check(path) { return item }
            } catch .notPermitted {
                return nil
            } catch {
                continue
            }
        }
        return nil
    }

    /// Opens the nearest existing directory above the given path; `nil` if it cannot be opened.
    private func deepestFolder(of path: String) -> FileDescriptor? {
        var folder = Bookmark.folder(of: path)
        while true {
            if let open = try? FileDescriptor.open(folder, [.readOnly, .directory]) { return open }
            if folder == "/" { return nil }
            folder = Bookmark.folder(of: folder)
        }
    }

    /// Whether the search skips this mount, because a server provides it and the item is on another file system. A
    /// server that does not respond would block the search needlessly.
    private func isOther(_ mount: Mount) -> Bool { mount.isServed && mount.device != identity.device }

    private func findElsewhereMounted(_ mounts: [Mount]) -> ResolvedItem? {
        guard let inside else { return nil }
        for mount in mounts where !isOther(mount) {
            if let path = mount.path(of: inside), !paths.contains(path), let item = check(path) { return item }
        }
        return nil
    }

    private func searchAround(_ mounts: [Mount]) -> ResolvedItem? {
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

/// A breadth-first search for an inode number. It visits each directory once, and examines a limited number of names.
private struct BoundedSearch {
    private let inode: UInt64
    private var entriesLeft: Int
    private let depthLimit: Int
    private let others: Set<String>
    private let check: (_ path: String) -> ResolvedItem?
    private var seen: Set<FileStatus.Identity> = []

    /// Creates a search.
    ///
    /// - Parameters:
    ///   - others: The paths of mount points to skip, because their servers may not respond.
    ///   - check: Called for an entry with this inode number. Returns the item, or `nil` to continue the search.
    init(
        inode: UInt64, entriesLeft: Int, depthLimit: Int, others: Set<String>,
        check: @escaping (_ path: String) -> ResolvedItem?
    ) {
        self.inode = inode
        self.entriesLeft = entriesLeft
        self.depthLimit = depthLimit
        self.others = others
        self.check = check
    }

    /// Searches beneath the given directory, on this directory's file system only.
    mutating func look(beneath root: String, includingHidden: Bool = true) -> ResolvedItem? {
        guard let device = try? FileStatus.of(root).identity.device else { return nil }
        var waiting = [(path: root, depth: 0)]
        var next = 0
        while next < waiting.count, entriesLeft > 0 {
            let (path, depth) = waiting[next]
            next += 1
            // The root may be a link, as home directories can be. No links are followed beneath it.
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
