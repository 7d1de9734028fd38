import LinuxSystem
import SQLite

/// A catalogue that many tasks share. Its work runs on threads that may block.
final class SharedServerCatalogue: Sendable {
    // Leaf lock. It is held during a transaction, but never during a request to the server.
    private let catalogue: Lock<ServerCatalogue>
    let stamp: String
    /// The numbers of the items that a ``ServerWriter`` has renamed temporarily. Listings may lack these items although
    /// they exist. Leaf lock.
    private let aside = Lock<Set<Int64>>([])

    init(_ path: String) throws {
        let catalogue = try ServerCatalogue(path)
        stamp = catalogue.stamp
        self.catalogue = Lock(catalogue)
    }

    /// The numbers of the items that exist although a listing may lack them, because a ``ServerWriter`` has renamed
    /// them temporarily.
    var itemsAside: Set<Int64> { aside.withLock { $0 } }

    /// Runs a function that may rename an item at the server temporarily.
    func moving<Result>(_ item: Int64, aside body: () async throws -> Result) async rethrows -> Result {
        aside.withLock { _ = $0.insert(item) }
        defer { aside.withLock { _ = $0.remove(item) } }
        return try await body()
    }

    /// Runs a function with the catalogue, in one transaction. Transactions run one at a time.
    func perform<Result: Sendable>(
        _ body: @escaping @Sendable (ServerCatalogue) throws -> Result
    ) async throws -> Result {
        try await Blocking.run { [self] in try performNow(body) }
    }

    /// Runs a function as ``perform(_:)`` does, but on the caller's thread, which must be permitted to block.
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

/// Threads for work that blocks, because the threads of Swift's tasks must not block.
package enum Blocking {
    /// Runs a function on a thread that may block, and waits for its result.
    package static func run<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            HandlerThreads.shared.run { continuation.resume(with: Swift.Result { try body() }) }
        }
    }
}
