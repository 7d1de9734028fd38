import FileProvider
import ItemStore
import ItemValues
import LinuxSystem

/// Contents of versions that the provider has replaced, at most one version of each file. With their help, a provider
/// that fetches differences need not transfer the whole file again (``ExistingContents``).
///
/// They last until the next version is local, at most until the next start. They are the first to be removed when the
/// cache is full. Used only on the engine's thread (see ``EngineContext``).
final class OlderContents {
    private struct Entry {
        let version: [UInt8]
        let size: Int64
        /// Whether the contents are a hard link to the file of a replaced item. Open handles of that file may keep it
        /// on disk.
        var isShared: Bool
    }

    private let folders: ContentFolders
    private var entries: [ItemNumber: Entry] = [:]
    /// The files in the order in which their contents were kept.
    private var order: [ItemNumber] = []
    /// The size of all older contents, in bytes.
    private var bytes: Int64 = 0
    /// Whether the provider fetches differences; `nil` until the provider has replied.
    private(set) var areUseful: Bool?

    /// The size in bytes of the smallest file whose contents are kept. The transfer of a smaller file takes no longer
    /// than the request.
    static let leastSize: Int64 = 64 << 10
    /// The divisor of the cache limit: older contents take at most an eighth of it.
    private static let share: Int64 = 8
    private static let mostBytes: Int64 = 1 << 30

    init(_ folders: ContentFolders) { self.folders = folders }

    /// Records whether the provider fetches differences.
    func noteUse(_ areUseful: Bool) {
        self.areUseful = areUseful
        if !areUseful { removeAll() }
    }

    /// Keeps the clean contents of a file that the caller would otherwise remove. If this fails, they are lost, and the
    /// file is fetched whole.
    ///
    /// - Parameters:
    ///   - folder: the directory that has the contents.
    ///   - isShared: Whether the contents also stay in `folder`, for handles that read them.
    func keep(
        _ row: IndexedItem, as number: ItemNumber, from folder: FileDescriptor, isShared: Bool = false, limit: Int64
    ) {
        remove(number)
        let most = min(limit / Self.share, Self.mostBytes)
        guard areUseful != false, row.content == .current, row.localSize >= Self.leastSize, row.localSize <= most,
            row.hasVersionOfProvider
        else { return }
        while bytes + row.localSize > most, let first = order.first { remove(first) }
        do throws(Errno) {
            if isShared {
                try folders.link(row.number, from: folder, to: folders.older, as: number)
            } else {
                try folders.move(row.number, from: folder, to: folders.older, as: number)
            }
        } catch {
            return
        }
        entries[number] = Entry(version: row.localVersion, size: row.localSize, isShared: isShared)
        order.append(number)
        bytes += row.localSize
    }

    /// Records that a file has got another item number.
    func move(_ number: ItemNumber, to successor: ItemNumber) {
        guard let entry = entries[number] else { return }
        remove(successor)
        guard (try? folders.move(number, from: folders.older, to: folders.older, as: successor)) != nil else {
            return remove(number)
        }
        entries[number] = nil
        entries[successor] = entry
        if let place = order.firstIndex(of: number) { order[place] = successor }
    }

    /// Returns the older contents of a file; `nil` if there are none.
    func contents(of number: ItemNumber) -> ExistingContents? {
        guard let entry = entries[number] else { return nil }
        guard let file = try? folders.open(number, in: folders.older, .readOnly) else {
            remove(number)
            return nil
        }
        return ExistingContents(descriptor: file, version: entry.version)
    }

    func remove(_ number: ItemNumber) {
        guard let entry = entries.removeValue(forKey: number) else { return }
        order.removeAll { $0 == number }
        bytes -= entry.size
        try? folders.remove(number, in: folders.older)
    }

    /// Removes the contents of all files.
    ///
    /// - Returns: the number of bytes that were freed.
    @discardableResult
    func removeAll() -> Int64 {
        let freed = evictableBytes
        for number in order { remove(number) }
        return freed
    }

    /// The size of the contents whose removal frees space, in bytes. Handles of a replaced file keep its bytes on disk.
    var evictableBytes: Int64 {
        var bytes = bytes
        for (number, entry) in entries where entry.isShared {
            let status = try? folders.older.status(of: ContentFolders.name(number))
            if let status, status.linkCount == 1 { entries[number]?.isShared = false } else { bytes -= entry.size }
        }
        return bytes
    }
}

extension IndexedItem {
    /// Whether the version of the local contents is one that the provider reported. The engine's own versions of
    /// contents whose version is unknown end with a zero (``ProviderItem/versionOfOlderContents``).
    fileprivate var hasVersionOfProvider: Bool { !localVersion.isEmpty && localVersion.last != 0 }

    /// Whether the local contents are clean, of an earlier version than the provider's, and large enough for a fetch of
    /// the difference.
    var hasUsableOlderContents: Bool {
        content == .current && localVersion != item.contentVersion && localSize >= OlderContents.leastSize
            && hasVersionOfProvider
    }
}
