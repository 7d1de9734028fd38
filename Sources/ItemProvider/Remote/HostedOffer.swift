import Conduit
import Dispatch
import Foundation
import LinuxSystem
import Synchronization

/// An item that this process offers, with its consumers' sockets: the providing end of every load.
///
/// The daemon decides which representations a process may load, and this object enforces the decision. Client code runs
/// on separate queues.
package final class HostedOffer: Sendable {
    package let identifier: UUID
    /// The representations, by position in the manifest. They are fixed when the item is offered.
    private let representations: [Int: Representation]
    /// The client's handler that creates previews, if any.
    private let preview: NSItemProvider.LoadHandler?
    /// Objects of `registerItem` that were created in advance (``Representation/keepItem(_:)``), by position in the
    /// manifest.
    private let items: [Int: ItemMessage]
    /// A number that grows from one offer of this process to the next.
    package let order: UInt64
    private static let made = Atomic<UInt64>(0)
    /// The function that is called after the reply to each load was sent, with whether the load succeeded.
    private let loaded: @Sendable (Bool) -> Void

    private struct State {
        var hasEnded = false
        /// The number of loads in flight of each consumer.
        var consumers: [Connection: Int] = [:]
    }

    // Leaf lock: connections are used and client code runs after it is released.
    private let state = Lock(State())

    package init(
        identifier: UUID, representations: [Int: Representation], preview: NSItemProvider.LoadHandler? = nil,
        items: [Int: ItemMessage] = [:],
        loaded: @escaping @Sendable (Bool) -> Void = { _ in }
    ) {
        self.identifier = identifier
        self.representations = representations
        self.preview = preview
        self.items = items
        self.loaded = loaded
        order = Self.made.wrappingAdd(1, ordering: .relaxed).newValue
    }

    /// The representations with their positions in the manifest, in order of fidelity.
    package var all: [(index: Int, representation: Representation)] {
        representations.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// Returns the description of the item for other processes.
    package func manifest(name: String?) -> OfferManifest {
        OfferManifest(
            identifier: identifier, name: name,
            representations: all.map { index, representation in
                RepresentationManifest(
                    index: index, typeIdentifier: representation.typeIdentifier,
                    visibility: representation.visibility.rawValue, fileOptions: representation.fileOptions.rawValue,
                    hasItem: representation.hasItem)
            },
            hasPreview: preview != nil)
    }

    /// Serves a consumer over the socket that the daemon made for it.
    ///
    /// - Parameter permitted: the positions of the representations that this consumer may load.
    package func accept(_ socket: FileDescriptor, permitted: Set<Int>) throws(Errno) {
        guard !state.withLock({ $0.hasEnded }) else { throw .noSuchFile }
        var service = Service()
        service.on(LoadCall.self) { [weak self] request, call in
            guard let self, permitted.contains(request.index),
                let representation = self.representations[request.index]
            else {
                return call.reply(.failed(FailureMessage(ItemProviderError.providerIsGone())))
            }
            self.serve(representation, request, call)
        }
        service.on(ItemCall.self) { [weak self] request, call in
            guard let self, permitted.contains(request.index),
                let representation = self.representations[request.index]
            else {
                return call.reply(.failed(FailureMessage(ItemProviderError.providerIsGone())))
            }
            if let kept = self.items[request.index] { return call.reply(.value(kept)) }
            self.serve(call) { completion in
                guard let item = representation.item else { return completion(.asItComes) }
                let cancel = item(request.request.request) { result in
                    completion(ItemCall.Reply(result, typeIdentifier: representation.typeIdentifier))
                }
                if let cancel { call.onCancel(cancel) }
            }
        }
        service.on(PreviewCall.self) { [weak self] request, call in
            guard let self else { return call.reply(.failed(FailureMessage(ItemProviderError.providerIsGone()))) }
            // A preview may show the contents of any representation, so the consumer must be permitted to load all.
            guard let preview = self.preview, permitted.isSuperset(of: self.representations.keys) else {
                return call.reply(.asItComes)
            }
            self.serve(call) { request.answer(from: preview, $0) }
        }
        let connection = try Connection(try SequencedPacketSocket(checking: socket), service: service)
        let hasEnded = state.withLock { state in
            if !state.hasEnded { state.consumers[connection, default: 0] += 0 }
            return state.hasEnded
        }
        if hasEnded { return connection.close() }
        connection.onClose { [weak self] _ in
            _ = self?.state.withLock { $0.consumers.removeValue(forKey: connection) }
        }
    }

    /// Withdraws the item. Loads in progress continue. No further loads are served.
    package func end() {
        let idle = state.withLock { state in
            state.hasEnded = true
            return state.consumers.filter { $0.value == 0 }.map(\.key)
        }
        for connection in idle { connection.close() }
    }

    private func serve(_ representation: Representation, _ request: LoadCall, _ call: ServedCall<LoadCall>) {
        let connection = call.connection
        guard begins(on: connection) else {
            return call.reply(.failed(FailureMessage(ItemProviderError.providerIsGone())))
        }
        // The closure retains this object, so that the item exists as long as a consumer waits for it.
        ServedLoad.start(representation, request, call) { self.finished(on: connection, succeeded: $0) }
    }

    /// Serves a call for an object. Client code, and the packing of its result, run on a separate thread.
    private func serve<Asked: Call>(
        _ call: ServedCall<Asked>, _ body: @escaping @Sendable (@escaping @Sendable (ItemCall.Reply) -> Void) -> Void
    ) where Asked.Reply == ItemCall.Reply {
        let connection = call.connection
        guard begins(on: connection) else {
            return call.reply(.failed(FailureMessage(ItemProviderError.providerIsGone())))
        }
        let answer = OneShotCompletion<ItemCall.Reply> { reply in
            call.reply(reply)
            self.finished(on: connection, succeeded: !reply.isFailure)
        }
        HandlerThreads.shared.runHandler { body { answer.complete($0) } }
    }

    /// Counts a load that begins. Returns `false` if the item was withdrawn.
    private func begins(on connection: Connection) -> Bool {
        state.withLock { state in
            if state.hasEnded { return false }
            state.consumers[connection, default: 0] += 1
            return true
        }
    }

    private func finished(on connection: Connection, succeeded: Bool) {
        let isOver = state.withLock { state in
            guard let loads = state.consumers[connection] else { return false }
            state.consumers[connection] = loads - 1
            return state.hasEnded && loads == 1
        }
        if isOver { connection.close() }
        loaded(succeeded)
    }
}
