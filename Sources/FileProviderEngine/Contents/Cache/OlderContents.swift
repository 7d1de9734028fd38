import FileProvider
import ItemStore
import ItemValues
import LinuxSystem

/// The retained contents of versions that the provider has replaced, at most one version of each file. If the provider
/// can return the differences to such a version (``ExistingContents``), it need not transfer the whole file again.
///
/// The contents are retained until a newer version of the file is local, but no longer than this engine runs. When the
/// cache is full, they are removed before other contents. Used only on the engine's thread (see ``EngineContext``).
final class OlderContents {
    private struct Entry {
        let version: [UInt8]
        let size: Int64
        /// Whether the contents are a hard link to a replaced file that handles may still have open. In that case,
        /// their removal may free no space.
        var isShared: Bool
    }

    private let folders: ContentFolders
    private var entries: [ItemNumber: Entry] = [:]
    /// The files in the order in which their contents were retained.
    private var order: [ItemNumber] = []
    /// The size of all retained contents, in bytes.
    private var bytes: Int64 = 0
    /// Whether the provider supports fetching differences; `nil` until it has reported that.
    private(set) var areUseful: Bool?

    /// The size in bytes of the smallest file whose contents are retained. The transfer of a smaller file takes no
    /// longer than the request.
    static let leastSize: Int64 = 64 << 10
    /// The divisor of the cache limit: older contents may use at most an eighth of the limit.
    private static let share: Int64 = 8
    private static let mostBytes: Int64 = 1 << 30

    init(_ folders: ContentFolders) { self.folders = folders }

    /// Records whether the provider supports fetching differences. If it does not, removes all retained contents.
    func noteUse(_ areUseful: Bool) {
        self.areUseful = areUseful
        if !areUseful { removeAll() }
    }

    /// Retains the clean contents of a file that the caller would otherwise remove. If this fails, the contents are not
    /// retained, and the file is later fetched whole.
    ///
    /// - Parameters:
    ///   - number: The item number under which the contents are retained.
    ///   - folder: The directory that contains the file.
    ///   - isShared: Whether the contents also stay in `folder`, for handles that read them.
    ///   - limit: The cache limit, in bytes.
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

    /// Records that the item of retained contents has a new number.
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

    /// Returns the retained contents of the given file's older version; `nil` if there are none.
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

    /// Removes the retained contents of all files.
    ///
    /// - Returns: The number of bytes that were freed.
    @discardableResult
    func removeAll() -> Int64 {
        let freed = evictableBytes
        for number in order { remove(number) }
        return freed
    }

    /// The size in bytes of the retained contents whose removal frees space. Contents that open handles of a replaced
    /// file still use are left out.
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
    /// Whether the local contents have a version that the provider reported. If their version is unknown, the engine
    /// assigns a version of its own, which ends with a zero byte (``ProviderItem/versionOfOlderContents``).
    fileprivate var hasVersionOfProvider: Bool { !localVersion.isEmpty && localVersion.last != 0 }

    /// Whether the local contents are clean, have an earlier version than the provider's, and are large enough for a
    /// fetch of the difference.
    var hasUsableOlderContents: Bool {
        content == .current && localVersion != item.contentVersion && localSize >= OlderContents.leastSize
            && hasVersionOfProvider
    }
}
