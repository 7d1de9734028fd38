import ItemStore
import LinuxSystem

/// The table of the partially materialized files that handles read or a fetch completes, by item number.
///
/// ``PartialContents`` has their files on disk, and ``PartDownloader`` fills them. Used only on the engine's thread
/// (see ``EngineContext``).
package final class PartialFiles {
    struct Entry {
        let file: PartialFile
        /// The handles that have read bytes of this version, and must not get bytes of another version.
        fileprivate(set) var begun: Set<Int> = []
        /// Whether the provider has another version and a handle has begun to read this one. No further parts of this
        /// version are fetched.
        fileprivate(set) var isStale = false
        /// The number of local bytes that are not recorded in the index yet.
        fileprivate(set) var unwritten: Int64 = 0
        fileprivate(set) var isWritingDue = false
    }

    private var entries: [ItemNumber: Entry] = [:]
    /// Whether all handles of a file share the page cache, so that each may have read bytes that another handle
    /// requested.
    private var pagesAreShared = false

    subscript(number: ItemNumber) -> Entry? { entries[number] }

    var numbers: [ItemNumber] { Array(entries.keys) }

    /// Whether the provider has another version than the one that a handle has begun to read in parts.
    func isStale(_ number: ItemNumber) -> Bool { entries[number]?.isStale == true }

    /// Whether an item is still read from this partial file; `false` once a file of another version has replaced it.
    func isInUse(_ file: PartialFile) -> Bool { entries[file.number]?.file === file }

    func add(_ file: PartialFile) -> Entry {
        let entry = Entry(file: file)
        entries[file.number] = entry
        return entry
    }

    /// Removes a file from the table. Handles that are open on the file can still read it.
    @discardableResult
    func remove(_ number: ItemNumber) -> Entry? { entries.removeValue(forKey: number) }

    func removeAll() { entries = [:] }

    func markStale(_ number: ItemNumber) { entries[number]?.isStale = true }

    // MARK: Handles

    /// Declares that all handles of a file share the page cache from now on.
    package func sharePages() { pagesAreShared = true }

    /// Records that a handle has read bytes of a file.
    func noteReading(_ number: ItemNumber, by reader: Int) { entries[number]?.begun.insert(reader) }

    /// Records that a handle was closed. With a shared page cache, other handles may have read this handle's bytes, so
    /// the handle still counts.
    func noteClosed(_ number: ItemNumber, _ reader: Int) {
        if !pagesAreShared { entries[number]?.begun.remove(reader) }
    }

    /// Records that every handle that had begun to read a file is closed.
    func noteAllClosed(_ number: ItemNumber) { entries[number]?.begun = [] }

    // MARK: Bytes

    /// Records that bytes of a file became local.
    func noteLocal(_ number: ItemNumber, bytes: Int64) { entries[number]?.unwritten += bytes }

    /// Records whether a timer will record the local ranges in the index.
    func setWritingDue(_ number: ItemNumber, _ isDue: Bool) { entries[number]?.isWritingDue = isDue }

    /// Records that the index has all local ranges of a file.
    func noteWritten(_ number: ItemNumber) { entries[number]?.unwritten = 0 }
}
