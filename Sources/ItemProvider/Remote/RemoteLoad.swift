import Conduit
import Foundation
import LinuxSystem

/// One load of another process's item, from its request to its end.
///
/// It completes once: when the provider replies, when the provider's process ends, or at once when the load is
/// cancelled.
final class RemoteLoad: Sendable {
    private enum Phase {
        /// The load waits for a socket; the closure removes it from the queue.
        case waiting(leave: (@Sendable () -> Void)?)
        case asked(PendingCall?, ended: @Sendable () -> Void)
        case over
    }

    private let request: LoadCall
    /// The directory to copy an offered directory to, in a confined process.
    private let target: LoadFolder?
    /// The function that gets the provider's progress, on the connections' thread.
    private let report: Representation.Report
    private let completion: Representation.Completion
    // Leaf lock: no function is called while it is held.
    private let phase = Lock(Phase.waiting(leave: nil))

    init(
        _ request: LoadCall, target: LoadFolder?, report: @escaping Representation.Report,
        completion: @escaping Representation.Completion
    ) {
        self.request = request
        self.target = target
        self.report = report
        self.completion = completion
    }

    /// Sets the function to call if the load is cancelled before its request is sent.
    func onCancel(_ leave: @escaping @Sendable () -> Void) {
        phase.withLock { phase in
            if case .waiting = phase { phase = .waiting(leave: leave) }
        }
    }

    /// Sends the request.
    ///
    /// - Parameter ended: called once, when the load does not need the connection any more.
    func send(over connection: Connection, ended: @escaping @Sendable () -> Void) {
        let isWanted = phase.withLock { phase in
            guard case .waiting = phase else { return false }
            phase = .asked(nil, ended: ended)
            return true
        }
        guard isWanted else { return ended() }
        let pending = connection.call(
            request,
            progress: { [report] completed, total in
                if total > 0 { report(min(1, Double(completed) / Double(total))) }
            },
            completion: { self.finish($0) })
        let isOver = phase.withLock { phase in
            if case .asked = phase { phase = .asked(pending, ended: ended) }
            if case .over = phase { return true }
            return false
        }
        // The load was cancelled while the request was being sent, or the reply has come already. In the second case,
        // cancelling has no effect.
        if isOver { pending.cancel() }
    }

    func fail(_ error: any Error) {
        complete(.failure(error))
    }

    @Sendable func cancel() {
        let before = phase.withLock { phase in
            defer { phase = .over }
            return phase
        }
        switch before {
        case .waiting(let leave):
            leave?()
            completion(.failure(ItemProviderError.cancelled()))
        case .asked(let pending, let ended):
            completion(.failure(ItemProviderError.cancelled()))
            pending?.cancel()
            ended()
        case .over:
            break
        }
    }

    private func finish(_ result: Result<LoadCall.Reply, ConduitError>) {
        switch result {
        case .success(.supplied(let message)): complete(.success(message.supply))
        case .success(.failed(let failure)): complete(.failure(failure.error))
        case .success(.placed(let name)):
            complete(
                Result {
                    guard let target else { throw ItemProviderError.emptyAnswer() }
                    return try FolderPlacement.supply(in: target, name: name)
                })
        case .failure(let error): complete(.failure(error.loadError))
        }
    }

    private func complete(_ result: Result<Supply, any Error>) {
        let before = phase.withLock { phase in
            defer { phase = .over }
            return phase
        }
        switch before {
        case .waiting: completion(result)
        case .asked(_, let ended):
            ended()
            completion(result)
        case .over: break
        }
    }
}

extension ConduitError {
    /// The error of a load that failed because of the connection to the provider.
    package var loadError: any Error {
        switch self {
        case .cancelled: ItemProviderError.cancelled()
        case .disconnected(.closedByPeer), .disconnected(.closedHere): ItemProviderError.providerIsGone()
        case .remote(let failure) where failure.conduitCode == .unanswered:
            ItemProviderError.make(.itemUnavailableError, "The load handler released the load without a reply")
        default: ItemProviderError.make(.itemUnavailableError, "The item's process could not be asked: \(self)")
        }
    }
}

/// A request to a provider's process for one representation of an item. The socket over which it is sent identifies the
/// item.
package struct LoadCall: Call, SchemaMessage {
    package static var method: UInt64 { 1 }
    /// The position of the representation in the item's manifest.
    package let index: Int
    package let delivery: Delivery
    /// A directory of a confined consumer, into which an offered directory is copied. A confined consumer cannot open
    /// the contents of a received directory.
    package let target: FileDescriptor?

    package init(index: Int, delivery: Delivery, target: FileDescriptor? = nil) {
        self.index = index
        self.delivery = delivery
        self.target = target
    }

    package static let schema = Schema(Self.init, Field(0, \.index), Field(1, \.delivery), Field(2, \.target))

    /// The result of the load handler.
    package enum Reply: SchemaMessage {
        case supplied(SupplyMessage)
        case failed(FailureMessage)
        /// A directory that had this name was copied into the consumer's directory, where the copy has a fixed name,
        /// see ``FolderPlacement``.
        case placed(name: String)

        package static let schema = Schema<Reply>(tag: nil) {
            Case(0, Self.supplied, Field(0, \.self)) { if case .supplied(let supply) = $0 { supply } else { nil } }
            Case(2, Self.placed, Field(2, \.self)) { if case .placed(let name) = $0 { name } else { nil } }
            Case(1, Self.failed, Field(1, \.self)) { if case .failed(let failure) = $0 { failure } else { nil } }
        }
    }
}

extension Delivery: MessageValue {}
