import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// The opening of files and the closing of their handles, on any thread. ``FileOpener`` opens and closes the files for
/// which the engine's thread is needed.
package struct FileHandles: Sendable {
    let engine: DomainEngine

    private var openFiles: OpenFileTable { engine.resources.openFiles }
    private var folders: ContentFolders { engine.resources.folders }
    private var index: Index { engine.index }
    private var clock: any EngineClock { engine.clock }

    /// Opens a file. A complete, clean file is opened for reading at once, on the calling thread. A dataless file is
    /// opened too, without a fetch: ``OpenHandle/ready(_:)`` waits for its bytes.
    ///
    /// If a newer version of an open file is being fetched, the opening waits until it is known whether that version
    /// only adds bytes at the end; see ``OutdatedFiles/fetchGrowth(_:_:)``.
    ///
    /// - Parameter completion: called on the calling thread or on the engine's thread; must not block. Fails with
    ///   ``ProviderError/Kind/expired`` if the item got another number meanwhile
    ///   (``OutdatedFiles/replace(_:_:)``), and with ``ProviderError/Kind/noSuchItem`` if the item does not exist.
    /// - Returns: an object that cancels the opening while it waits.
    @discardableResult
    package func open(
        _ number: ItemNumber, for purpose: OpenPurpose,
        completion: @escaping @Sendable (Result<OpenHandle, ProviderError>) -> Void
    ) -> Cancellable {
        if purpose == .reading, let item = openAtOnce(number) {
            completion(.success(item))
            return .over
        }
        let opening = PendingOpen(purpose, completion)
        engine.perform { $0.opener.open(number, opening, $0) }
        return Cancellable { opening.cancel() }
    }

    /// Opens a complete file for reading at once, with a single lookup in the index.
    ///
    /// - Returns: `nil` if the caller has to use ``open(_:for:completion:)``.
    package func openComplete(_ number: ItemNumber) -> (row: IndexedItem, item: OpenHandle)? {
        let epoch = openFiles.epoch
        guard let row = try? index.item(number), row.hasAllBytes,
            let item = joined(number) ?? openAtOnce(row, since: epoch)
        else { return nil }
        return (row, item)
    }

    /// Whether a program has the file open for writing. Its contents may then differ from the version at the
    /// provider.
    package func isOpenForWriting(_ number: ItemNumber) -> Bool {
        openFiles.isOpenForWriting(number)
    }

    // MARK: On any thread

    /// Opens a file for reading without the engine's thread, by means of the table of open files, the index and the
    /// local file. Returns `nil` if the engine's thread has to open it.
    private func openAtOnce(_ number: ItemNumber) -> OpenHandle? {
        let epoch = openFiles.epoch
        if let item = joined(number) { return item }
        return (try? index.item(number)).flatMap { openAtOnce($0, since: epoch) }
    }

    /// Adds a read handle to a file that is open already. Returns `nil` if the file is not open.
    private func joined(_ number: ItemNumber) -> OpenHandle? {
        let now = clock.now
        return openFiles.join(number, now)
            .map { OpenHandle(engine, number, isForWriting: false, descriptor: $0.reading) }
    }

    /// Opens the file of an index row for reading. Returns `nil` if the engine's thread has to open it.
    ///
    /// - Parameter epoch: the epoch of the open files, which the caller obtained before it read the row. If the epoch
    ///   has changed since, the row may be outdated.
    private func openAtOnce(_ row: IndexedItem, since epoch: Int) -> OpenHandle? {
        guard row.item.kind == .file else { return nil }
        let (number, now) = (row.number, clock.now)
        var file: FileDescriptor?
        switch row.content {
        case .dataless, .partial: break
        case .current:
            guard row.localVersion == row.item.contentVersion else { return nil }
            file = try? folders.open(number, in: folders.lastClean, .readOnly)
            if file == nil { return nil }
        case .edited:
            file = try? folders.open(number, in: folders.edits, .readOnly)
            if file == nil { return nil }
        }
        return openFiles.open(number, file, since: epoch, now).map {
            OpenHandle(engine, number, isForWriting: false, descriptor: $0.reading)
        }
    }

    /// Closes a handle. Closing a read handle completes at once; closing a write handle completes on the engine's
    /// thread.
    func closed(
        _ number: ItemNumber, isForWriting: Bool,
        _ completion: @escaping @Sendable (Result<Void, ProviderError>) -> Void
    ) {
        guard !isForWriting else {
            return engine.perform { engine in
                completion(Result { () throws(ProviderError) in try engine.opener.closedWriting(number, engine) })
            }
        }
        let (last, usesAreDue) = openFiles.closeReading(number)
        completion(.success(()))
        if let last, last.isOutdated || last.isDiscarded || last.reading == nil {
            engine.perform { $0.opener.lastClosed(number, last, $0) }
        }
        if usesAreDue { engine.perform { $0.metadata.writeUses(isEnd: false, $0) } }
    }
}
