import LinuxSystem
import SQLite

/// A catalogue that many tasks share. Its work runs on threads that may block.
final class SharedServerCatalogue: Sendable {
    // Leaf lock. It is held during a transaction, but never during a request to the server.
    private let catalogue: Lock<ServerCatalogue>
    let stamp: String

    init(_ path: String) throws {
        let catalogue = try ServerCatalogue(path)
        stamp = catalogue.stamp
        self.catalogue = Lock(catalogue)
    }

    /// Runs a function with the catalogue, in one transaction. Only one runs at a time.
    func perform<Result: Sendable>(
        _ body: @escaping @Sendable (ServerCatalogue) throws -> Result
    ) async throws -> Result {
        try await Blocking.run { [self] in try performNow(body) }
    }

    /// Runs a function as ``perform(_:)`` does, on a thread that may block.
    func performNow<Result: Sendable>(_ body: (ServerCatalogue) throws -> Result) throws -> Result {
        try catalogue.withLock { catalogue in
            try catalogue.database.execute("BEGIN IMMEDIATE")
            do {
                let result = try body(catalogue)
                try catalogue.database.execute("COMMIT")
                return result
            } catch {
                // SQLite may have rolled the transaction back by itself.
                try? catalogue.database.execute("ROLLBACK")
                throw error
            }
        }
    }
}

/// Threads for work that blocks, because the threads that run tasks must not block.
package enum Blocking {
    /// Runs a function on a thread that may block, and waits for its result.
    package static func run<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            HandlerThreads.shared.run { continuation.resume(with: Swift.Result { try body() }) }
        }
    }
}
