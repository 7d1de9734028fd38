import Foundation
import Glibc
import LinuxSystem

/// Removes the versions of items that no longer exist.
///
/// The versions of an item that was deleted in a coordinated access are removed at once. An item that is only missing
/// may have been moved to a place that this process cannot find, or may be on a disk that is not mounted. Its versions
/// are removed if it was missing for a month while its file system was mounted, and if a search does not find it.
package struct VersionSweep {
    /// The number of seconds for which an item must be missing before its versions are removed.
    package static let patience: TimeInterval = 30 * 86_400
    /// The number of seconds between two sweeps.
    private static let interval: TimeInterval = 86_400
    /// The maximum number of searches for missing items per sweep. Each search may examine many thousands of names.
    private static let searchLimit = 50

    private let now: Date
    private var searchesLeft = Self.searchLimit

    // MARK: Running

    /// Runs a sweep in the background, unless a sweep ran within the last day.
    static func runIfDue() {
        let mark = VersionStore.root + "/swept"
        if let last = modification(of: mark), abs(last.timeIntervalSinceNow) < interval { return }
        // The file's modification date prevents further sweeps for a day.
        guard (try? Data().write(to: URL(fileURLWithPath: mark))) != nil else { return }
        HandlerThreads.shared.run { run() }
    }

    /// Examines every item that has versions. Blocks on the file system.
    package static func run(now: Date = Date()) {
        var sweep = VersionSweep(now: now)
        for folder in names(in: "items") { sweep.look(at: folder) }
        sweep.removeLinks()
        for folder in names(in: "new") where sweep.isOlder(folder, than: interval) {
            try? VersionStore.remove(folder)
        }
    }

    /// Removes the versions of the deleted item with the given identity.
    static func forget(_ identity: ItemIdentity) {
        let link = VersionStore.link(of: identity)
        guard let folder = VersionStore.target(of: link) else { return }
        unlink(link)
        try? VersionStore.remove(folder)
    }

    private init(now: Date) { self.now = now }

    // MARK: Examining

    private mutating func look(at folder: String) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        if !names.contains(where: { UUID(uuidString: $0) != nil }) {
            if isOlder(folder, than: Self.interval) { try? VersionStore.remove(folder) }
            return
        }
        guard var trace = ItemTrace(in: folder) else { return }
        // If another item has the path, the versions are retained, because that item takes them over when they are
        // first accessed.
        if (try? ResolvedItem(at: trace.path)) != nil || !isFileSystemThere(trace) {
            guard trace.missingSince != nil else { return }
            trace.missingSince = nil
        } else if let since = trace.missingSince, since <= now {
            guard now.timeIntervalSince(since) > Self.patience, searchesLeft > 0 else { return }
            searchesLeft -= 1
            guard let found = ItemSearch(identity: trace.identity, paths: [trace.path], inside: nil).find() else {
                unlink(VersionStore.link(of: trace.identity))
                try? VersionStore.remove(folder)
                return
            }
            trace.path = found.path
            trace.missingSince = nil
        } else {
            trace.missingSince = now
        }
        // If the trace cannot be written, the next sweep examines the item again.
        try? trace.write(to: folder)
    }

    /// Whether the deepest existing directory of the item's path is on the item's file system.
    private func isFileSystemThere(_ trace: ItemTrace) -> Bool {
        var path = Bookmark.folder(of: trace.path)
        while true {
            if let folder = try? FileDescriptor.open(path, [.pathOnly, .directory]),
                let identity = try? ItemIdentity(of: folder)
            {
                return identity.isOnSameFileSystem(as: trace.identity)
            }
            if path == "/" { return false }
            path = Bookmark.folder(of: path)
        }
    }

    /// Removes links whose target does not exist.
    private func removeLinks() {
        for link in ["identities", "paths"].flatMap({ Self.names(in: $0) }) where access(link, F_OK) != 0 {
            if isOlder(link, than: Self.interval) { unlink(link) }
        }
    }

    private func isOlder(_ path: String, than age: TimeInterval) -> Bool {
        Self.modification(of: path).map { now.timeIntervalSince($0) > age } ?? false
    }

    private static func modification(of path: String) -> Date? {
        (try? FileStatus.of(path, followingLinks: false)).map { Date($0.modified) }
    }

    /// Returns the paths of the entries of the given directory in the store.
    private static func names(in folder: String) -> [String] {
        let path = VersionStore.root + "/" + folder
        return ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).map { path + "/" + $0 }
    }
}
