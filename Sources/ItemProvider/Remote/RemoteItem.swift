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
            provider.promise.register(
                Representation(
                    typeIdentifier: representation.typeIdentifier,
                    visibility: NSItemProviderRepresentationVisibility(rawValue: representation.visibility) ?? .all,
                    fileOptions: NSItemProviderFileOptions(rawValue: representation.fileOptions),
                    request: { delivery, report, completion in
                        let load = RemoteLoad(
                            LoadCall(index: representation.index, delivery: delivery), report: report,
                            completion: completion)
                        self.start(load)
                        return load.cancel
                    }))
        }
        return provider
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
        let waiting = state.withLock { state in
            state.connection = try? result.get()
            state.isOpening = false
            defer { state.waiting = [:] }
            return state.waiting
        }
        for (_, load) in waiting.sorted(by: { $0.key < $1.key }) {
            switch result {
            case .success(let connection): load.send(over: connection)
            case .failure(let error): load.fail(error)
            }
        }
    }
}
