import FileProviderWire
import ItemStore
import LinuxSystem

/// Short names of the shared state.
extension DomainEngine {
    nonisolated var folders: ContentFolders { resources.folders }
    nonisolated var openFiles: OpenFileTable { resources.openFiles }
    nonisolated var events: Receiver<EngineEvent> { resources.events }
    nonisolated var durable: DurableWrites { resources.durable }

    var journal: Journal { context.journal }
    /// Whether the engine was closed. A closed engine starts and writes nothing.
    var isClosed: Bool { context.isClosed }

    /// Returns the row of an item, as ``EngineContext/row(of:evenIfDeleted:)`` does.
    func row(_ number: ItemNumber) throws(ProviderError) -> IndexedItem { try context.row(of: number) }

    /// Runs one transaction on the index, as ``EngineContext/write(freesSpace:_:)`` does.
    @discardableResult
    func write<Result>(
        freesSpace: Bool = false, _ body: (inout IndexWriter) throws(IndexError) -> Result
    ) throws(ProviderError) -> Result {
        try context.write(freesSpace: freesSpace, body)
    }

    /// Records a failure that no caller receives. The domain's status reports it.
    func recordBackgroundError(_ error: any Error) { context.recordBackgroundError(error) }
}
