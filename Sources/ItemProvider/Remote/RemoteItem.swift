import Conduit
import Foundation
import LinuxSystem

/// An item that another process offers, as its consumer holds it: the consuming end of every load.
///
/// All loads of the item share one socket to its provider, opened by the first of them and closed with this object, or
/// earlier where the process has too many open and nobody uses it (``ProviderSockets``).
package final class RemoteItem: Sendable {
    /// Opens a socket to the process that offers the item; a failure is the error of the loads that wait for it.
    package typealias Opener = @Sendable (@escaping @Sendable (Result<Connection, any Error>) -> Void) -> Void

    package let manifest: OfferManifest
    private let open: Opener

    private struct State {
        /// The socket to the provider, once it was opened. It may have ended since.
        var connection: Connection?
        /// How many use it.
        var users = 0
        var isOpening = false
        /// Loads that wait for the socket, by number.
        var waiting: [UInt64: RemoteLoad] = [:]
        var nextLoad: UInt64 = 0
        /// Who else waits for the socket.
        var others: [@Sendable (Result<Connection, any Error>) -> Void] = []
    }

    // Innermost: connections are used after it is released.
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

    /// An item provider that loads from the other process. Any number of them may share this object.
    package func makeProvider() -> NSItemProvider {
        let provider = NSItemProvider()
        provider.suggestedName = manifest.name
        for representation in manifest.representations {
            if representation.typeIdentifier == Representation.teamDataType {
                // What everybody can see may be of anybody. What only the team sees, the daemon has found to be the team's.
                let isOfTheTeam = representation.visibility != NSItemProviderRepresentationVisibility.all.rawValue
                if isOfTheTeam { provider.promise.teamRepresentation = promise(representation) }
            } else {
                provider.register(promise(representation))
            }
        }
        if manifest.hasPreview {
            // The promise holds the handler.
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

    /// Asks the provider for its preview. One that makes none any more, as when the daemon has taken its place, leaves it to the
    /// consumer to make one.
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

    /// Asks the provider for an object. The closure that comes back takes the question back.
    @discardableResult
    private func ask<Asked: Call>(
        _ call: Asked, as wanted: SharedClass?,
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
                    case .success(let reply): completion(Result { try reply.value(as: wanted?.value) })
                    case .failure(let error): completion(.failure(error.loadError))
                    }
                }
                cancellation.hold { pending.cancel() }
            }
        }
        return { cancellation.cancel() }
    }

    /// Asks the provider for a representation. Never blocks; the load completes on the connections' thread, or on the one
    /// that cancels.
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
    /// Gives the socket to the provider, opening it if need be. Whoever gets it leaves it.
    private func connect(_ body: @escaping @Sendable (Result<Connection, any Error>) -> Void) {
        if let connection = openConnection() { return body(.success(connection)) }
        let isFirst = state.withLock { state in
            state.others.append(body)
            defer { state.isOpening = true }
            return !state.isOpening
        }
        if isFirst { openSocket() }
    }

    /// The socket, where there is one, with one more who uses it and leaves it.
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

    /// One who used the socket does so no longer.
    private func leave() {
        let isIdle = state.withLock { state in
            state.users -= 1
            return state.users == 0
        }
        if isIdle { sockets.becameIdle(self) }
    }

    /// Closes the socket if nobody uses it, and says whether it did.
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
            // Until all have been given it, the socket is in use.
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
