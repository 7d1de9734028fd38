import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// Opening and closing files on the engine's thread.
extension ContentCache {
    /// Opens a file on the engine's thread, as ``DomainEngine/open(_:for:completion:)`` does.
    func opened(
        _ number: ItemNumber, for purpose: OpenPurpose, _ engine: isolated any ContentCacheHost
    ) throws(ProviderError) -> OpenHandle {
        guard !context.isClosed else { throw .closed }
        let row = try context.row(of: number)
        guard row.item.kind == .file else {
            throw ProviderError(.unsupported, message: "“\(row.name)” is not a file.")
        }
        if purpose == .writing(truncating: false), partials.isStale(number) { throw .otherVersion }
        let (isForWriting, now) = (purpose.isWriting, context.clock.now)
        openFiles.withLock { state in state.open(number, isForWriting: isForWriting, now) }
        do throws(ProviderError) {
            let file =
                switch purpose {
                case .reading: try fileForReading(row)
                case .writing(let truncating):
                    try makingRoom(engine) { () throws(ProviderError) in
                        try onDisk { () throws(Errno) in try writerMarks.mark(number) }
                        return try fileForWriting(row, truncating: truncating, engine)
                    }
                }
            // The file is empty now, so that readers and writers that wait for its contents need not wait any longer.
            if purpose == .writing(truncating: true) {
                endPartial(number, engine)
                engine.contentsMayBeReady(number)
            }
            if file != nil { noteUse(of: number) }
            return engine.openItem(number, isForWriting: isForWriting, descriptor: file)
        } catch {
            if let last = openFiles.withLock({ $0.close(number, isForWriting: isForWriting) }) {
                lastClosed(number, last, engine)
            }
            if isForWriting, !openFiles.isOpenForWriting(number) { writerMarks.unmark(number) }
            throw error
        }
    }

    private func isGone(_ number: ItemNumber) -> Bool {
        do throws(IndexError) {
            return try context.index.itemEvenIfDeleted(number) == nil
        } catch {
            return false
        }
    }

    /// Releases the contents of a file after its last handle was closed, and ends the requests that waited for the
    /// file.
    ///
    /// - Parameter entry: The file's entry at the time of the close.
    func lastClosed(_ number: ItemNumber, _ entry: OpenFileTable.Entry, _ engine: isolated any ContentCacheHost) {
        if entry.isDiscarded || isGone(number) {
            discardContents(number, engine)
        } else if entry.isOutdated {
            dropOutdatedContents(number, engine)
        }
        guard openFiles.entry(number) == nil else { return }
        engine.lastHandleWasClosed(number)
    }
}
