import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// Opens files and closes their handles, on any thread. ``FileOpener`` opens and closes the files for which the
/// engine's thread is needed.
package struct FileHandles: Sendable {
    let engine: DomainEngine

    private var openFiles: OpenFileTable { engine.resources.openFiles }
    private var folders: ContentFolders { engine.resources.folders }
    private var index: Index { engine.index }
    private var clock: any EngineClock { engine.clock }

    /// Opens a file. If it can be opened for reading without the engine's thread, it is opened at once, on the calling
    /// thread. No contents are fetched: for a dataless file, ``OpenHandle/ready(_:)`` waits for the bytes.
    ///
    /// If a newer version of an open file is being fetched, the opening waits until it is known whether that version
    /// only adds bytes at the end; see ``OutdatedFiles/fetchGrowth(_:_:)``.
    ///
    /// - Parameter completion: Called on the calling thread or on the engine's thread; must not block. Fails with
    ///   ``ProviderError/Kind/expired`` if the item got another number meanwhile (``OutdatedFiles/replace(_:_:)``), and
    ///   with ``ProviderError/Kind/noSuchItem`` if the item does not exist.
    /// - Returns: An object that cancels the opening while it waits.
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

    /// Opens for reading a file whose bytes are all local. Does so on the calling thread, with a single lookup in the
    /// index.
    ///
    /// - Returns: The item's index row and the handle; `nil` if the caller has to use ``open(_:for:completion:)``.
    package func openComplete(_ number: ItemNumber) -> (row: IndexedItem, item: OpenHandle)? {
        let epoch = openFiles.epoch
        guard let row = try? index.item(number), row.hasAllBytes,
            let item = joined(number) ?? openAtOnce(row, since: epoch)
        else { return nil }
        return (row, item)
    }

    /// Whether a program has the given file open for writing. Its contents may then differ from the version at the
    /// provider.
    package func isOpenForWriting(_ number: ItemNumber) -> Bool {
        openFiles.isOpenForWriting(number)
    }

    // MARK: On any thread

    /// Opens a file for reading without the engine's thread. Returns `nil` if it has to be opened on the engine's
    /// thread.
    private func openAtOnce(_ number: ItemNumber) -> OpenHandle? {
        let epoch = openFiles.epoch
        if let item = joined(number) { return item }
        return (try? index.item(number)).flatMap { openAtOnce($0, since: epoch) }
    }

    /// Adds a read handle to a file that is open already. Returns `nil` if the file is not open, or if its version is
    /// older than the provider's.
    private func joined(_ number: ItemNumber) -> OpenHandle? {
        let now = clock.now
        return openFiles.join(number, now)
            .map { OpenHandle(engine, number, isForWriting: false, descriptor: $0.reading) }
    }

    /// Opens the file of the given index row for reading. Returns `nil` if it has to be opened on the engine's thread.
    ///
    /// - Parameter epoch: The value of ``OpenFileTable/epoch`` before the caller read the row. If the epoch has changed
    ///   since, the row may be outdated.
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

    /// Closes a handle. For a read handle, the completion handler is called at once; for a write handle, on the
    /// engine's thread.
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
