import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// Opens, records in the index, and removes partially materialized files.
///
/// It calls ``ContentCache``, and sends an event (``EngineEvents``) when the parts of a file were dropped. Used only on
/// the engine's thread (see ``EngineContext``).
final class PartialContents: EngineComponent {
    let context: EngineContext
    private let cache: ContentCache
    private let partials: PartialFiles

    init(_ context: EngineContext, _ cache: ContentCache, _ partials: PartialFiles) {
        self.context = context
        self.cache = cache
        self.partials = partials
    }

    /// The maximum number of ranges of one file that the index records. If a file has more, the largest ranges are
    /// recorded.
    private static let writtenRanges = 512
    /// The number of unrecorded local bytes at which the ranges are written to the index at once. Fewer bytes are
    /// recorded after ``writingPause`` seconds.
    private static let writtenBytes: Int64 = 32 << 20
    private static let writingPause = 0.5

    /// Opens the partial file of an item, or creates an empty one. After a failure, it may be called again.
    ///
    /// - Parameter size: The size that the provider reports for the complete file, in bytes.
    /// - Returns: `nil` if the file system does not support files of this size.
    func open(
        _ row: IndexedItem, size: Int64
    ) throws(ProviderError) -> PartialFiles.Entry? {
        var found: PartialFile?
        if row.content == .partial {
            if row.localVersion == row.item.contentVersion { found = try openParts(row, size: size) }
            if found == nil { try cache.forgetContents(row.number) }
        }
        if found == nil { found = try makeParts(row, size: size) }
        return found.map(partials.add)
    }

    private func openParts(_ row: IndexedItem, size: Int64) throws(ProviderError) -> PartialFile? {
        try onDisk { () throws(Errno) in
            guard let file = try folders.open(row.number, in: folders.parts, .readWrite),
                try file.status().size == Int(size), !row.parts.contains(0..<size),
                row.parts.ranges.last.map({ $0.upperBound <= size }) ?? true
            else { return nil }
            return try PartialFile(row.number, version: row.localVersion, size: size, file, row.parts)
        }
    }

    /// Creates a file of the given size without local parts, as one hole.
    ///
    /// - Returns: `nil` if the file system does not support files of this size.
    private func makeParts(_ row: IndexedItem, size: Int64) throws(ProviderError) -> PartialFile? {
        do throws(Errno) {
            try folders.remove(row.number, in: folders.parts)
            let file = try folders.parts.open(
                ContentFolders.name(row.number), [.readWrite, .create, .exclusive, .noFollow], permissions: 0o600)
            do throws(Errno) {
                try file.truncate(to: Int(size))
            } catch {
                try? folders.remove(row.number, in: folders.parts)
                if error == .noSpace || error == .quotaExceeded { throw error }
                return nil
            }
            return try PartialFile(row.number, version: row.item.contentVersion, size: size, file, ByteRanges())
        } catch {
            throw ProviderError(error)
        }
    }

    // MARK: In the index

    /// Records the local ranges of a file in the index: at once for the first part and after many bytes, otherwise
    /// after a delay.
    func noteGrown(_ number: ItemNumber, _ engine: isolated any EngineEvents) {
        guard let partial = partials[number] else { return }
        let isFirst = partial.file.ranges.count == partial.unwritten
        if isFirst || partial.unwritten >= Self.writtenBytes { return write(number) }
        guard !partial.isWritingDue else { return }
        partials.setWritingDue(number, true)
        context.clock.run(after: Self.writingPause) { [weak engine] in
            engine?.perform { $0.partialContents.write(number) }
        }
    }

    func write(_ number: ItemNumber) {
        guard let partial = partials[number] else { return }
        partials.setWritingDue(number, false)
        guard partial.unwritten > 0, !partial.isStale, !context.isClosed, let row = try? cache.openRow(number),
            row.content == .dataless || row.content == .partial
        else { return }
        let ranges = partial.file.ranges
        do throws(ProviderError) {
            try context.write(freesSpace: true) { writer throws(IndexError) in
                try writer.update(number) { row in
                    row.becomePartial(
                        ranges.largest(Self.writtenRanges), size: ranges.count, version: partial.file.version)
                }
            }
        } catch {
            // Parts that the index does not have are fetched again after a restart.
            return context.recordBackgroundError(error)
        }
        partials.noteWritten(number)
        cache.noteCleanBytes(partial.unwritten)
    }

    /// Records the local ranges of all files in the index, because the engine is about to be closed.
    func writeAll() { for number in partials.numbers { write(number) } }

    // MARK: The end of a partial file

    /// Moves a partial file whose bytes are all local to the clean contents.
    ///
    /// - Returns: Whether the file is clean now; `false` if the contents of the item were fetched as a whole or edited
    ///   meanwhile.
    func complete(_ partial: PartialFiles.Entry) throws(ProviderError) -> Bool {
        let file = partial.file
        let number = file.number
        let row = try cache.openRow(number)
        guard row.content == .dataless || row.content == .partial else { return false }
        try onDisk { () throws(Errno) in
            try FileFingerprint.date(file.writing, row.item.modified)
            try folders.move(number, from: folders.parts, to: folders.clean)
        }
        EngineStep.partsMoved.reach()
        try context.write { writer throws(IndexError) in
            try writer.update(number) { $0.settle(size: file.size, version: file.version) }
        }
        cache.noteCleanBytes(partial.unwritten)
        cache.older.remove(number)
        partials.remove(number)
        openFiles.update(number) { entry in
            if entry.reading == nil { entry.reading = file.reading }
        }
        return true
    }

    /// Deletes the parts of a file whose contents were replaced or removed. Readers that wait for parts then wait for
    /// the whole file.
    func end(_ number: ItemNumber, _ engine: isolated any EngineEvents) {
        guard let partial = partials.remove(number) else { return }
        partial.file.end()
        try? folders.remove(number, in: folders.parts)
        engine.partialFileEnded(number)
    }

    /// Deletes the file with the given item's parts, if it exists. Called when the index records no local ranges of the
    /// item.
    func removeParts(_ number: ItemNumber) { try? folders.remove(number, in: folders.parts) }

    /// Deletes the parts of a file because the provider has another version. The caller has checked that no handle has
    /// read any of them.
    ///
    /// - Returns: The item's index row.
    func dropStale(_ number: ItemNumber) throws(ProviderError) -> IndexedItem {
        partials.remove(number)?.file.end()
        let row = try cache.openRow(number)
        // The new version may have been fetched as a whole already.
        if row.content == .partial { try cache.forgetContents(number) }
        try onDisk { () throws(Errno) in try folders.remove(number, in: folders.parts) }
        return row
    }

    /// Removes a file from the table of partial files, because no handle has it open. The parts stay on disk.
    func release(_ number: ItemNumber) { partials.remove(number) }
}
