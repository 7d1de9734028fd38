import ItemStore
import LinuxSystem

/// The table of the partially materialized files that are in use, by item number. A file is in use while a handle reads
/// it or a fetch completes it.
///
/// ``PartialContents`` manages the files on disk, and ``PartDownloader`` fetches their parts. Used only on the engine's
/// thread (see ``EngineContext``).
package final class PartialFiles {
    struct Entry {
        let file: PartialFile
        /// The numbers of the handles that have read bytes of this version and must not get bytes of another version.
        fileprivate(set) var begun: Set<Int> = []
        /// Whether a handle has begun to read this version and the provider has a different one now. No further parts
        /// of this version are fetched.
        fileprivate(set) var isStale = false
        /// The number of local bytes that are not recorded in the index yet.
        fileprivate(set) var unwritten: Int64 = 0
        fileprivate(set) var isWritingDue = false
    }

    private var entries: [ItemNumber: Entry] = [:]
    /// Whether all handles of a file share the page cache. A handle may then have read bytes that another handle
    /// requested.
    private var pagesAreShared = false

    subscript(number: ItemNumber) -> Entry? { entries[number] }

    var numbers: [ItemNumber] { Array(entries.keys) }

    /// Whether the provider has another version of the given item than the one that a handle has begun to read in
    /// parts.
    func isStale(_ number: ItemNumber) -> Bool { entries[number]?.isStale == true }

    /// Whether the table still contains the given partial file; `false` after a file of another version has replaced
    /// it.
    func isInUse(_ file: PartialFile) -> Bool { entries[file.number]?.file === file }

    func add(_ file: PartialFile) -> Entry {
        let entry = Entry(file: file)
        entries[file.number] = entry
        return entry
    }

    /// Removes the given file from the table. Handles that have it open can still read it.
    @discardableResult
    func remove(_ number: ItemNumber) -> Entry? { entries.removeValue(forKey: number) }

    func removeAll() { entries = [:] }

    func markStale(_ number: ItemNumber) { entries[number]?.isStale = true }

    // MARK: Handles

    /// Declares that all handles of the same file share the page cache from now on.
    package func sharePages() { pagesAreShared = true }

    /// Records that the handle with the number `reader` has read bytes of the given file.
    func noteReading(_ number: ItemNumber, by reader: Int) { entries[number]?.begun.insert(reader) }

    /// Records that the handle with the number `reader` was closed. If the page cache is shared, the handle continues
    /// to count as a reader, because other handles may have read the bytes that it requested.
    func noteClosed(_ number: ItemNumber, _ reader: Int) {
        if !pagesAreShared { entries[number]?.begun.remove(reader) }
    }

    /// Records that all handles that had begun to read the given file are closed.
    func noteAllClosed(_ number: ItemNumber) { entries[number]?.begun = [] }

    // MARK: Bytes

    /// Records that further bytes of the given file are local.
    func noteLocal(_ number: ItemNumber, bytes: Int64) { entries[number]?.unwritten += bytes }

    /// Records whether a timer is running that will write the file's local ranges to the index.
    func setWritingDue(_ number: ItemNumber, _ isDue: Bool) { entries[number]?.isWritingDue = isDue }

    /// Records that the index contains all local ranges of the given file.
    func noteWritten(_ number: ItemNumber) { entries[number]?.unwritten = 0 }
}
