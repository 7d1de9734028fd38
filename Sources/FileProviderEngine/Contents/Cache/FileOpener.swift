import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// Opens and closes files on the engine's thread.
///
/// It calls the other components of contents except ``Downloader``, and sends events to other components
/// (``EngineEvents``). Used only on the engine's thread (see ``EngineContext``).
final class FileOpener: EngineComponent {
    let context: EngineContext
    private let cache: ContentCache
    private let partials: PartialFiles
    private let partialContents: PartialContents
    private let evictor: Evictor
    private let outdated: OutdatedFiles
    private let writing: WrittenFiles
    /// The openings that wait, by item. They wait until it is known whether bytes are appended to the open file or a
    /// new version replaces it; see ``OutdatedFiles``.
    private var openings: [ItemNumber: [PendingOpen]] = [:]

    init(
        _ context: EngineContext, _ cache: ContentCache, _ partials: PartialFiles, _ partialContents: PartialContents,
        _ evictor: Evictor, _ outdated: OutdatedFiles, _ writing: WrittenFiles
    ) {
        self.context = context
        self.cache = cache
        self.partials = partials
        self.partialContents = partialContents
        self.evictor = evictor
        self.outdated = outdated
        self.writing = writing
    }

    /// Opens a file. Called when ``FileHandles/open(_:for:completion:)`` needs the engine's thread.
    func opened(
        _ number: ItemNumber, for purpose: OpenPurpose, _ engine: isolated any EngineEvents
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
                case .reading: try cache.fileForReading(row)
                case .writing(let truncating):
                    try evictor.makingRoom(engine) { () throws(ProviderError) in
                        try onDisk { () throws(Errno) in try writing.marks.mark(number) }
                        return try writing.fileForWriting(row, truncating: truncating, engine)
                    }
                }
            // The file is empty now, so readers and writers need not wait for its contents any longer.
            if purpose == .writing(truncating: true) {
                partialContents.end(number, engine)
                engine.contentsMayBeReady(number)
            }
            if file != nil { cache.noteUse(of: number) }
            return engine.openItem(number, isForWriting: isForWriting, descriptor: file)
        } catch {
            if let last = openFiles.withLock({ $0.close(number, isForWriting: isForWriting) }) {
                lastClosed(number, last, engine)
            }
            if isForWriting, !openFiles.isOpenForWriting(number) { writing.marks.unmark(number) }
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

    /// Cleans up after the last handle of a file was closed: removes contents that are outdated or whose item was
    /// removed, and ends the requests that waited for the file.
    ///
    /// - Parameter entry: The file's table entry at the time of the close.
    func lastClosed(_ number: ItemNumber, _ entry: OpenFileTable.Entry, _ engine: isolated any EngineEvents) {
        if entry.isDiscarded || isGone(number) {
            cache.discardContents(number, engine)
        } else if entry.isOutdated {
            outdated.dropOutdatedContents(number, engine)
        }
        guard openFiles.entry(number) == nil else { return }
        engine.lastHandleWasClosed(number)
    }

    /// Closes a write handle. After the last write handle is closed, the file is either clean or journalled as edited.
    func closedWriting(_ number: ItemNumber, _ engine: isolated any EngineEvents) throws(ProviderError) {
        guard let entry = openFiles.entry(number) else { return }
        guard entry.writers == 1 else {
            openFiles.withLock { state in _ = state.close(number, isForWriting: true) }
            return try writing.compare(number, engine)
        }
        do throws(ProviderError) {
            try writing.compare(number, engine)
        } catch {
            // The handle stays counted, so that the file is not treated as clean, and the close is retried.
            context.clock.run(after: 5) { [weak engine] in
                engine?.perform { engine in try? engine.opener.closedWriting(number, engine) }
            }
            throw error
        }
        let now = openFiles.entry(number)
        openFiles.update(number) { entry in
            entry.writing = nil
            entry.beforeWriting = nil
            entry.noted = nil
        }
        let last = openFiles.withLock { $0.close(number, isForWriting: true) }
        if let now, now.writing != nil, now.noted == nil, !now.isDiscarded { writing.moveBack(number) }
        if let last {
            lastClosed(number, last, engine)
        } else if now?.isDiscarded == true {
            // Handles for reading may outlive this process, and the next engine finds their contents in `removed`.
            try? folders.moveAside(number)
        } else if now?.isOutdated == true {
            outdated.dropOutdatedContents(number, engine)
        }
        // After this engine has closed, the marks may belong to its successor.
        if !context.isClosed { writing.marks.unmark(number) }
        engine.noteClosed(number)
    }

    // MARK: Openings that wait

    func open(_ number: ItemNumber, _ opening: PendingOpen, _ engine: isolated any EngineEvents) {
        outdated.lookAtOutdated(number, engine)
        if outdated.isGrowing(number), !context.isClosed {
            if opening.wait() { openings[number, default: []].append(opening) }
            return
        }
        opening.finish { () throws(ProviderError) in try opened(number, for: opening.purpose, engine) }
    }

    /// Resumes the openings that wait for a fetch of the provider's new version of an open file.
    ///
    /// If the fetch failed, openings for reading share the local version, and openings that truncate the file proceed.
    /// Other openings for writing fail, because they would edit an outdated version.
    func endWaits(
        for number: ItemNumber, _ result: Result<Void, ProviderError>, _ engine: isolated any EngineEvents
    ) {
        for opening in openings.removeValue(forKey: number) ?? [] {
            switch result {
            case .success: open(number, opening, engine)
            case .failure(let failure) where opening.purpose == .writing(truncating: false): opening.fail(failure)
            case .failure:
                opening.finish { () throws(ProviderError) in try opened(number, for: opening.purpose, engine) }
            }
        }
    }

    /// Fails the openings that wait, because the engine is closed.
    func close() {
        for opening in openings.values.joined() { opening.fail(.closed) }
        openings = [:]
    }
}
