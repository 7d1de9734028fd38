import LinuxSystem

/// A catalogue for many threads.
package final class SharedCatalogue: Sendable {
    // Innermost: nothing else is locked while it is held. Held for as long as a look at one folder takes, never while a file is
    // copied.
    private let catalogue: Lock<Catalogue>

    package init(of path: String, store: String) throws {
        let catalogue = try Catalogue(of: path, store: store)
        self.catalogue = Lock(catalogue)
    }

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
