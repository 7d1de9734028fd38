import Foundation
import ItemProvider

/// A place where processes of one user offer items to each other: a pasteboard, a shelf, a drag session.
///
/// A board is a name. It needs no making and no closing: it is there while something is offered on it. The first use in a
/// process connects to the Purvey daemon, and starts it where it is not running.
///
///     let offer = try await Board.shelf.offer(NSItemProvider(contentsOf: url))
///
/// and in another process
///
///     for provider in try await Board.shelf.items() { … provider.loadDataRepresentation … }
///
/// An item that was listed is an ordinary `NSItemProvider`; its load handlers ask the other process. This is Purvey's own
/// interface: Apple's platforms have `UIPasteboard` and drag sessions in its place, but nothing for both.
public struct Board: Sendable, Hashable {
    /// The board's name: 1 to 255 bytes without control characters.
    public let name: String
    private let client: ExchangeClient

    /// The pasteboard of cut, copy and paste.
    public static let general = Board(BoardTable.general)
    /// Where items are offered that are not meant for the pasteboard.
    public static let shelf = Board("shelf")

    /// The board of a name, among all processes of this user.
    public init(_ name: String) { self.init(name, client: .shared) }

    /// The board of a name at a particular daemon.
    package init(_ name: String, client: ExchangeClient) {
        self.name = name
        self.client = client
    }

    /// Boards are equal when they have one name.
    public static func == (left: Board, right: Board) -> Bool {
        left.name == right.name && left.client === right.client
    }

    /// Hashes the name.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

// MARK: - Offering

extension Board {
    /// Offers an item. Nothing of it is produced before another process loads it.
    ///
    /// What is registered with the provider later, and a name given to it later, are not seen by others.
    ///
    /// - Parameter completionHandler: called once, on an arbitrary thread, with the offer, which has to be kept: the
    ///   item is withdrawn with the last reference to it. Or with an ``ExchangeError``.
    public func offer(
        _ provider: NSItemProvider, completionHandler: @escaping @Sendable (Result<Offer, any Error>) -> Void
    ) {
        client.offer(provider.promise, on: name) { result in completionHandler(result.mapError { $0 }) }
    }

    /// Offers an item. Nothing of it is produced before another process loads it.
    ///
    /// - Returns: the offer, which has to be kept: the item is withdrawn with the last reference to it.
    /// - Throws: ``ExchangeError``.
    public nonisolated(nonsending) func offer(_ provider: NSItemProvider) async throws -> Offer {
        try await offer(provider, loaded: { _ in })
    }

    /// Offers an item, and tells a function after each load whether it succeeded.
    package nonisolated(nonsending) func offer(
        _ provider: NSItemProvider, loaded: @escaping @Sendable (Bool) -> Void
    ) async throws(ExchangeError) -> Offer {
        let promise = provider.promise
        return try await withCheckedContinuation { continuation in
            client.offer(promise, on: name, loaded: loaded) { continuation.resume(returning: $0) }
        }.get()
    }

    /// Makes items the contents of the board, in place of what was there: what a pasteboard does on copy.
    ///
    /// They stay until somebody replaces them. When this process ends in good order, by `exit` or by returning from `main`,
    /// it is given a few seconds (3, or as many as `PURVEY_EXIT_TIME_LIMIT` says) to fulfil the promises, so that they can be
    /// loaded afterwards.
    ///
    /// - Parameter fulfilling: fulfil them at once and leave them with the daemon, so that this process may end in
    ///   any way. Load handlers run now, before the board changes, and representations that fail or are too large to keep
    ///   are left out.
    /// - Throws: ``ExchangeError``, or what a load handler failed with when none of an item succeeded.
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

// MARK: - Looking

extension Board {
    /// The items that this process may see, in the order in which they were offered.
    ///
    /// - Parameter completionHandler: called once, on an arbitrary thread, with the items or an ``ExchangeError``.
    public func items(completionHandler: @escaping @Sendable (Result<[NSItemProvider], any Error>) -> Void) {
        client.items(on: name) { result in
            completionHandler(result.map { $0.map { $0.makeProvider() } }.mapError { $0 })
        }
    }

    /// The items that this process may see, in the order in which they were offered.
    ///
    /// - Throws: ``ExchangeError``.
    public nonisolated(nonsending) func items() async throws -> [NSItemProvider] {
        try await remoteItems().map { $0.makeProvider() }
    }

    /// The same, with what is known of each item besides its provider.
    package nonisolated(nonsending) func remoteItems() async throws(ExchangeError) -> [RemoteItem] {
        try await withCheckedContinuation { continuation in
            client.items(on: name) { continuation.resume(returning: $0) }
        }.get()
    }

    /// Grows whenever the contents of the board change, and never comes back to a value it had. It stays while a program that has
    /// taken a pasteboard over goes on writing to it.
    public var changeCount: Int {
        get async throws {
            Int(clamping: try await client.call(ChangeCountCall(board: name), attempts: 3).changeCount)
        }
    }
}
