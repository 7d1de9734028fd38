import Foundation
import ItemProvider

/// A board on which processes of one user offer items to each other: a pasteboard, a shelf, or a drag session.
///
/// A board is identified by its name. Boards are neither created nor closed: a board exists while an item is offered on
/// it. The first use in a process connects to the Purvey daemon, and starts it if necessary.
///
///     let offer = try await Board.shelf.offer(NSItemProvider(contentsOf: url))
///
/// In another process:
///
///     for provider in try await Board.shelf.items() { … provider.loadDataRepresentation … }
///
/// A listed item is an ordinary `NSItemProvider`; its load handlers send requests to the other process. This is
/// Purvey's own interface: Apple's platforms have `UIPasteboard` and drag sessions, but no common interface for both.
public struct Board: Sendable, Hashable {
    /// The board's name: 1 to 255 bytes without control characters.
    public let name: String
    private let client: ExchangeClient

    /// The pasteboard for cut, copy and paste.
    public static let general = Board(BoardTable.general)
    /// The board for items that are not meant for the pasteboard.
    public static let shelf = Board("shelf")

    /// Creates a reference to the board with the given name. All processes of this user share the board.
    public init(_ name: String) { self.init(name, client: .shared) }

    /// Creates a reference to the board with the given name at the daemon to which `client` connects.
    package init(_ name: String, client: ExchangeClient) {
        self.name = name
        self.client = client
    }

    /// Whether two values refer to the same board of the same daemon.
    public static func == (left: Board, right: Board) -> Bool {
        left.name == right.name && left.client === right.client
    }

    /// Hashes the board's name.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

// MARK: - Offering

extension Board {
    /// Offers an item. Its representations are produced only when another process loads them.
    ///
    /// Representations and a name that are added to `provider` after this call are not offered.
    ///
    /// - Parameter completionHandler: Called once, on an arbitrary thread, with the offer or an ``ExchangeError``.
    ///   Retain the offer: the item is withdrawn when the last reference to the offer is released.
    public func offer(
        _ provider: NSItemProvider, completionHandler: @escaping @Sendable (Result<Offer, any Error>) -> Void
    ) {
        client.offer(provider.promise, on: name) { result in completionHandler(result.mapError { $0 }) }
    }

    /// Offers an item. Its representations are produced only when another process loads them.
    ///
    /// - Returns: The offer. Retain it: the item is withdrawn when the last reference to the offer is released.
    /// - Throws: ``ExchangeError``.
    public nonisolated(nonsending) func offer(_ provider: NSItemProvider) async throws -> Offer {
        try await offer(provider, loaded: { _ in })
    }

    /// Offers an item. After each load of the item by another process, calls `loaded` with `true` if the load
    /// succeeded, and with `false` if it failed.
    package nonisolated(nonsending) func offer(
        _ provider: NSItemProvider, loaded: @escaping @Sendable (Bool) -> Void
    ) async throws(ExchangeError) -> Offer {
        let promise = provider.promise
        return try await withCheckedContinuation { continuation in
            client.offer(promise, on: name, loaded: loaded) { continuation.resume(returning: $0) }
        }.get()
    }

    /// Replaces the contents of the board, as copying does on a pasteboard.
    ///
    /// The items stay until they are replaced. When this process exits normally, by `exit` or by returning from `main`,
    /// it first runs the load handlers and passes their results to the daemon. This takes at most 3 seconds, or the
    /// number of seconds in `PURVEY_EXIT_TIME_LIMIT`. The items can then be loaded after the end of the process.
    ///
    /// - Parameter fulfilling: Whether to run the load handlers now and pass their results to the daemon. In this case,
    ///   the items remain even if this process crashes or is killed. The load handlers run before the board changes.
    ///   Representations that fail or are too large are left out.
    /// - Throws: ``ExchangeError``, or the error of a load handler if no representation of an item succeeds.
    public nonisolated(nonsending) func replaceContents(
        with providers: [NSItemProvider], fulfilling: Bool = false
    ) async throws {
        let promises = providers.map(\.promise)
        if fulfilling { return try await client.replaceContents(of: name, keeping: promises) }
        _ = try await withCheckedContinuation { continuation in
            client.replaceContents(of: name, with: promises) { continuation.resume(returning: $0) }
        }.get()
        client.handOverAtExit()
    }
}

// MARK: - Listing

extension Board {
    /// Fetches the items that this process may see, in the order in which they were offered.
    ///
    /// - Parameter completionHandler: Called once, on an arbitrary thread, with the items or an ``ExchangeError``.
    public func items(completionHandler: @escaping @Sendable (Result<[NSItemProvider], any Error>) -> Void) {
        client.items(on: name) { result in
            completionHandler(result.map { $0.map { $0.makeProvider() } }.mapError { $0 })
        }
    }

    /// Returns the items that this process may see, in the order in which they were offered.
    ///
    /// - Throws: ``ExchangeError``.
    public nonisolated(nonsending) func items() async throws -> [NSItemProvider] {
        try await remoteItems().map { $0.makeProvider() }
    }

    /// Returns the items that this process may see, with their metadata.
    package nonisolated(nonsending) func remoteItems() async throws(ExchangeError) -> [RemoteItem] {
        try await withCheckedContinuation { continuation in
            client.items(on: name) { continuation.resume(returning: $0) }
        }.get()
    }

    /// The change count of the board. It increases with each change of the board's contents, and is never repeated. The
    /// count stays the same while a program adds items to contents that are its own.
    public var changeCount: Int {
        get async throws {
            Int(clamping: try await client.call(ChangeCountCall(board: name), attempts: 3).changeCount)
        }
    }
}
