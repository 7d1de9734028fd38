import FileProvider
import LinuxSystem

/// A catalogue that many threads share.
package final class SharedCatalogue: Sendable {
    // This lock is taken before the locks of the watches and of the connection to the host. It is held as long as the
    // scan of one directory takes, but never while a file is copied.
    private let catalogue: Lock<Catalogue>

    package let watches: FolderWatches

    /// Opens a catalogue.
    ///
    /// - Parameter watcher: watches directories. If it is `nil`, changes are found by scanning every directory.
    package init(of path: String, store: String, watcher: (any FolderWatcher)? = nil) throws {
        watches = try FolderWatches(watcher)
        let catalogue = try Catalogue(of: path, store: store, watches: watches)
        self.catalogue = Lock(catalogue)
    }

    deinit { watches.stop() }

    /// Runs a function with the catalogue. Only one function runs at a time.
    package func perform<Result: Sendable>(
        _ body: (Catalogue) throws -> Result
    ) throws(FolderError) -> Result {
        do {
            return try catalogue.withLock { try body($0) }
        } catch {
            throw FolderError(error)
        }
    }
}
