import FileProvider
import LinuxSystem

/// A catalogue for many threads.
package final class SharedCatalogue: Sendable {
    // Inside of it are the watches' own lock and those of the connection to the host. Held for as long as a look at one folder
    // takes, never while a file is copied.
    private let catalogue: Lock<Catalogue>

    package let watches: FolderWatches

    /// - Parameter watcher: has folders watched; without one, changes are found by looking at every folder.
    package init(of path: String, store: String, watcher: (any FolderWatcher)? = nil) throws {
        watches = try FolderWatches(watcher)
        let catalogue = try Catalogue(of: path, store: store, watches: watches)
        self.catalogue = Lock(catalogue)
    }

    deinit { watches.stop() }

    /// Runs a function with the catalogue, one at a time.
    package func perform<Result: Sendable>(
        _ body: (Catalogue) throws -> Result
    ) throws(FolderFailure) -> Result {
        do {
            return try catalogue.withLock { try body($0) }
        } catch {
            throw FolderFailure(error)
        }
    }
}
