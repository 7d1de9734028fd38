import Conduit
import Foundation
import LinuxSystem
import Synchronization

/// An item that another process offers, as its consumer holds it: the consuming end of every load.
///
/// All loads of the item share one socket to its provider, opened by the first of them and closed with this object.
package final class RemoteItem: Sendable {
    /// Opens a socket to the process that offers the item; a failure is the error of the loads that wait for it.
    package typealias Opener = @Sendable (@escaping @Sendable (Result<Connection, any Error>) -> Void) -> Void

    package let manifest: OfferManifest
    private let open: Opener

    private struct State {
        /// The socket to the provider, once it was opened. It may have ended since.
        var connection: Connection?
        var isOpening = false
        /// Loads that wait for the socket, by number.
        var waiting: [UInt64: RemoteLoad] = [:]
        var nextLoad: UInt64 = 0
        /// Who else waits for the socket.
        var others: [@Sendable (Result<Connection, any Error>) -> Void] = []
    }

    // Innermost: connections are used after it is released.
    private let state = Mutex(State())

    package init(_ manifest: OfferManifest, open: @escaping Opener) {
        self.manifest = manifest
        self.open = open
    }

    deinit {
        state.withLock { $0.connection }?.close()
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

    /// Asks the provider for an object.
    private func ask<Asked: Call>(
        _ call: Asked, as wanted: SharedClass?,
        _ completion: @escaping @Sendable (Result<ItemValue?, any Error>) -> Void
    ) where Asked.Reply == ItemCall.Reply {
        connect { result in
            switch result {
            case .failure(let error): completion(.failure(error))
            case .success(let connection):
                connection.call(call) { result in
                    switch result {
                    case .success(let reply): completion(Result { try reply.value(as: wanted?.value) })
                    case .failure(let error): completion(.failure(error.loadError))
                    }
                }
            }
        }
    }

    /// Gives the socket to the provider, opening it if need be.
    private func connect(_ body: @escaping @Sendable (Result<Connection, any Error>) -> Void) {
        if let connection = state.withLock({ $0.connection }), connection.closeReason == nil {
            return body(.success(connection))
        }
        let isFirst = state.withLock { state in
            state.others.append(body)
            defer { state.isOpening = true }
            return !state.isOpening
        }
        if isFirst { open { self.opened($0) } }
    }

    /// Asks the provider for a representation. Never blocks; the load completes on the connections' thread, or on the one
    /// that cancels.
    private func start(_ load: RemoteLoad) {
        if let connection = state.withLock({ $0.connection }), connection.closeReason == nil {
            return load.send(over: connection)
        }
        let (number, isFirst) = state.withLock { state in
            state.nextLoad += 1
            state.waiting[state.nextLoad] = load
            defer { state.isOpening = true }
            return (state.nextLoad, !state.isOpening)
        }
        load.onCancel { [weak self] in
            _ = self?.state.withLock { $0.waiting.removeValue(forKey: number) }
        }
        if isFirst { open { self.opened($0) } }
    }

    private func opened(_ result: Result<Connection, any Error>) {
        let (waiting, others) = state.withLock { state in
            state.connection = try? result.get()
            state.isOpening = false
            defer { (state.waiting, state.others) = ([:], []) }
            return (state.waiting, state.others)
        }
        for other in others { other(result) }
        for (_, load) in waiting.sorted(by: { $0.key < $1.key }) {
            switch result {
            case .success(let connection): load.send(over: connection)
            case .failure(let error): load.fail(error)
            }
        }
    }
}
