import Conduit
import Foundation
import FoundationAdditions
import LinuxSystem

/// An item that another process offers: the consuming end of every load.
///
/// All loads of the item share one socket to the item's provider. The first load opens the socket. The socket is closed
/// when this object is released, or earlier if it is unused and the process has too many open sockets
/// (``ProviderSockets``).
package final class RemoteItem: Sendable {
    /// A function that opens a socket to the process that offers the item. The waiting loads fail with its error.
    package typealias Opener = @Sendable (@escaping @Sendable (Result<Connection, any Error>) -> Void) -> Void

    package let manifest: OfferManifest
    private let open: Opener

    private struct State {
        /// The socket to the provider, after it was opened. It may have been closed since.
        var connection: Connection?
        /// The number of users of the socket.
        var users = 0
        var isOpening = false
        /// Loads that wait for the socket, by number.
        var waiting: [UInt64: RemoteLoad] = [:]
        var nextLoad: UInt64 = 0
        /// Other requests that wait for the socket.
        var others: [@Sendable (Result<Connection, any Error>) -> Void] = []
    }

    // Leaf lock: connections are used after it is released.
    private let state = Lock(State())
    private let sockets: ProviderSockets

    package convenience init(_ manifest: OfferManifest, open: @escaping Opener) {
        self.init(manifest, sockets: .shared, open: open)
    }

    init(_ manifest: OfferManifest, sockets: ProviderSockets, open: @escaping Opener) {
        self.manifest = manifest
        self.sockets = sockets
        self.open = open
    }

    deinit {
        state.withLock { $0.connection }?.close()
        sockets.forget(ObjectIdentifier(self))
    }

    /// Creates an item provider that loads from the other process. Several item providers may share this object.
    package func makeProvider() -> NSItemProvider {
        let provider = NSItemProvider()
        provider.suggestedName = manifest.name
        for representation in manifest.representations {
            if representation.typeIdentifier == Representation.teamDataType {
                // The daemon has checked the team only for data that is restricted to a team. Data that all processes
                // can see may come from any team, and is therefore ignored.
                let isOfTheTeam = representation.visibility != NSItemProviderRepresentationVisibility.all.rawValue
                if isOfTheTeam { provider.promise.teamRepresentation = promise(representation) }
            } else {
                provider.register(promise(representation))
            }
        }
        if manifest.hasPreview {
            // Weak, because the promise retains the handler.
            provider.previewImageHandler = { [weak promise = provider.promise] completion, _, options in
                self.preview(of: promise, options) { result in
                    switch result {
                    case .success(let value): completion?(value.object, nil)
                    case .failure(let error): completion?(nil, error)
                    }
                }
            }
        }
        return provider
    }

    /// Requests the provider's preview. If the provider does not create previews any more, for example because the
    /// daemon now offers the item, this process creates one.
    private func preview(
        of promise: ItemPromise?, _ options: [AnyHashable: Any]?,
        _ completion: @escaping @Sendable (Result<ItemValue, any Error>) -> Void
    ) {
        let size = PreviewImage.size(in: options)
        ask(PreviewCall(options), as: nil) { result in
            switch result {
            case .success(let value?): completion(.success(value))
            case .success(nil):
                guard let promise else { return completion(.failure(ItemProviderError.providerIsGone())) }
                PreviewImage.make(of: promise, fitting: size, completion: completion)
            case .failure(let error): completion(.failure(error))
            }
        }
    }

    private func promise(_ manifest: RepresentationManifest) -> Representation {
        var item: Representation.ItemHandler?
        if manifest.hasItem {
            item = { request, completion in
                self.ask(ItemCall(index: manifest.index, request), as: request.expectedClass, completion)
            }
        }
        return Representation(
            typeIdentifier: manifest.typeIdentifier,
            visibility: NSItemProviderRepresentationVisibility(rawValue: manifest.visibility) ?? .all,
            fileOptions: NSItemProviderFileOptions(rawValue: manifest.fileOptions),
            keeper: .request { delivery, report, completion in
                let target = FolderPlacement.isNeeded ? try? LoadFolder() : nil
                let load = RemoteLoad(
                    LoadCall(index: manifest.index, delivery: delivery, target: target?.directory), target: target,
                    report: report, completion: completion)
                self.start(load)
                return load.cancel
            },
            item: item)
    }

    /// Requests an object from the provider. Returns a function that cancels the request.
    @discardableResult
    private func ask<Asked: Call>(
        _ call: Asked, as wanted: SendableType<AnyClass>?,
        _ completion: @escaping @Sendable (Result<ItemValue?, any Error>) -> Void
    ) -> @Sendable () -> Void where Asked.Reply == ItemCall.Reply {
        let cancellation = PendingCancellation()
        connect { result in
            switch result {
            case .failure(let error): completion(.failure(error))
            case .success(let connection):
                let pending = connection.call(call) { result in
                    self.leave()
                    switch result {
                    case .success(let reply): completion(Result { try reply.value(as: wanted?.type) })
                    case .failure(let error): completion(.failure(error.loadError))
                    }
                }
                cancellation.hold { pending.cancel() }
            }
        }
        return { cancellation.cancel() }
    }

    /// Requests a representation from the provider. Never blocks. The load completes on the connections' thread, or on
    /// the thread that cancels it.
    private func start(_ load: RemoteLoad) {
        if let connection = openConnection() { return load.send(over: connection) { self.leave() } }
        let (number, isFirst) = state.withLock { state in
            state.nextLoad += 1
            state.waiting[state.nextLoad] = load
            defer { state.isOpening = true }
            return (state.nextLoad, !state.isOpening)
        }
        load.onCancel { [weak self] in
            _ = self?.state.withLock { $0.waiting.removeValue(forKey: number) }
        }
        if isFirst { openSocket() }
    }
}

// MARK: - The socket

extension RemoteItem {
    /// Calls a function with the socket to the provider. Opens the socket first if needed. The function must ensure
    /// that ``leave()`` is called afterwards.
    private func connect(_ body: @escaping @Sendable (Result<Connection, any Error>) -> Void) {
        if let connection = openConnection() { return body(.success(connection)) }
        let isFirst = state.withLock { state in
            state.others.append(body)
            defer { state.isOpening = true }
            return !state.isOpening
        }
        if isFirst { openSocket() }
    }

    /// Returns the open socket and adds one to the number of its users. The caller must call ``leave()``. Returns `nil`
    /// if no socket is open.
    private func openConnection() -> Connection? {
        let connection = state.withLock { state in
            if state.connection != nil { state.users += 1 }
            return state.connection
        }
        guard let connection else { return nil }
        if connection.closeReason == nil { return connection }
        leave()
        return nil
    }

    /// Records that one user of the socket has finished.
    private func leave() {
        let isIdle = state.withLock { state in
            state.users -= 1
            return state.users == 0
        }
        if isIdle { sockets.becameIdle(self) }
    }

    /// Closes the socket if it is unused. Returns whether it did.
    func closeIfIdle() -> Bool {
        let connection = state.withLock { state -> Connection? in
            guard state.users == 0, !state.isOpening else { return nil }
            defer { state.connection = nil }
            return state.connection
        }
        connection?.close()
        return connection != nil
    }

    private func openSocket() {
        sockets.acquire { self.open { self.opened($0) } }
    }

    private func opened(_ result: Result<Connection, any Error>) {
        let connection = try? result.get()
        let sockets = sockets
        if let connection { connection.onClose { _ in sockets.release() } } else { sockets.release() }
        let (waiting, others) = state.withLock { state in
            state.connection = connection
            state.isOpening = false
            // The socket counts as used until all waiting requests have got it.
            state.users += connection == nil ? 0 : state.others.count + state.waiting.count + 1
            defer { (state.waiting, state.others) = ([:], []) }
            return (state.waiting, state.others)
        }
        for other in others { other(result) }
        for (_, load) in waiting.sorted(by: { $0.key < $1.key }) {
            switch result {
            case .success(let connection): load.send(over: connection) { self.leave() }
            case .failure(let error): load.fail(error)
            }
        }
        if connection != nil { leave() }
    }
}
