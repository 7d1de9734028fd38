import Conduit
import Foundation
import Glibc
import ItemProvider
import LinuxSystem

/// The daemon's part in the exchange of items: it records offers, decides which processes may load them, and connects
/// consumers with providers. The daemon transfers no data, except for pasteboards whose process has ended.
///
/// The service runs on the thread that serves connections, which never waits for a peer. The few requests that access
/// the disk are served on a queue.
package final class ExchangeService: Sendable {
    /// The owner number of items that the daemon itself offers.
    static let daemon: UInt64 = 0

    let limits: ExchangeLimits
    let log: DaemonLog
    package let bundles: BundleRegistry

    struct State {
        var table: BoardTable
        var clients: [UInt64: ExchangePeer] = [:]
        var numbers: [Connection: UInt64] = [:]
        var nextNumber: UInt64 = 1
        var queues: [UInt64: OpenQueue] = [:]
        var holdings = HeldItems()
    }

    // Leaf lock: connections are used, and client code runs, after it is released.
    let state: Lock<State>

    package init(bundles: BundleRegistry, limits: ExchangeLimits = ExchangeLimits(), log: DaemonLog) {
        self.limits = limits
        self.log = log
        self.bundles = bundles
        // This is greater than any count of an earlier daemon, if that daemon ended at least a second ago, and has made
        // at most a million changes per second.
        let start = UInt64(clamping: time(nil)) * 1_000_000
        state = Lock(State(table: BoardTable(limits: limits, firstChangeCount: start)))
    }

    /// Creates a ``Service`` with the handlers of the daemon's calls.
    package func makeService() -> Service {
        var service = Service()
        service.on(OfferCall.self) { request, call in
            self.answer(call) { peer throws(ExchangeRefusalError) in try self.offer(request, from: peer) }
        }
        service.on(WithdrawCall.self) { request, call in
            self.answer(call) { peer throws(ExchangeRefusalError) in try self.withdraw(request.identifier, from: peer) }
        }
        service.on(ReplaceContentsCall.self) { request, call in
            self.answer(call) { peer throws(ExchangeRefusalError) in try self.replaceContents(request, from: peer) }
        }
        service.on(ChangeCountCall.self) { request, call in
            self.answer(call) { _ in
                self.state.withLock {
                    ChangeCountReply(
                        changeCount: $0.table.changeCount(of: request.board),
                        isTouched: $0.table.isTouched(request.board))
                }
            }
        }
        service.on(ListCall.self) { request, call in
            self.list(request, call)
        }
        service.on(OpenCall.self) { request, call in self.open(request.identifier, call) }
        service.on(HoldCall.self) { request, call in
            // The file's status is read, which may take a moment.
            HandlerThreads.shared.run {
                self.answer(call) { peer throws(ExchangeRefusalError) in try self.hold(request, from: peer) }
            }
        }
        service.on(TakeOverCall.self) { request, call in
            // The process's executable is examined, which may take a moment.
            HandlerThreads.shared.run {
                self.answer(call) { peer throws(ExchangeRefusalError) in
                    try self.takeOver(request.identifier, from: peer)
                }
            }
        }
        service.on(PrepareToQuitCall.self) { _, call in
            self.answer(call) { self.itemsToHandOver(by: $0) }
        }
        service.on(StatusCall.self) { _, call in
            self.answer(call) { _ in self.status }
        }
        addBundleCalls(to: &service)
        return service
    }

    /// Registers a new connection as a client. Called on the thread that serves connections, before the connection's
    /// first message.
    package func admit(_ connection: Connection) {
        let number = state.withLock { state in
            let number = state.nextNumber
            state.nextNumber += 1
            state.numbers[connection] = number
            state.clients[number] = ExchangePeer(
                number: number, connection: connection, identity: connection.peer.identity(orUnknown: number))
            return number
        }
        log.debug("process \(connection.peer.credentials.processID) connected")
        connection.onClose { self.ended(connection, number: number, reason: $0) }
    }

    /// Announces to all clients that the daemon is about to end because this was requested.
    package func announceEnd() {
        for client in state.withLock({ Array($0.clients.values) }) {
            // A client that cannot be notified sees its connection close.
            try? client.connection.notify(DaemonEndingNotice())
        }
    }

    /// Whether there are no clients, and no items on any board.
    package var isIdle: Bool { state.withLock { $0.clients.isEmpty && $0.table.count == 0 } }

    private func ended(_ connection: Connection, number: UInt64, reason: CloseReason) {
        let (offers, waiting) = state.withLock { state in
            state.numbers[connection] = nil
            state.clients[number] = nil
            state.holdings.dropUnfinished(of: number)
            let waiting = state.queues.removeValue(forKey: number)?.waiting.all ?? []
            return (state.table.removeAll(of: number).count, waiting)
        }
        for open in waiting { open.call.fail(.noSuchItem) }
        log.debug("process \(connection.peer.credentials.processID) has ended, with \(offers) offers: \(reason)")
    }

    /// Runs a function for the client that made a call, and replies to the call with the function's result or error.
    func answer<C: Call>(_ call: ServedCall<C>, _ body: (ExchangePeer) throws(ExchangeRefusalError) -> C.Reply) {
        let client = state.withLock { state in state.numbers[call.connection].flatMap { state.clients[$0] } }
        // Without a client, the connection closed while its last packets were read: no reply is needed.
        guard let client else { return }
        do throws(ExchangeRefusalError) {
            call.reply(try body(client))
        } catch {
            log.debug("process \(client.connection.peer.credentials.processID): \(C.self): \(error.message)")
            call.fail(error)
        }
    }

    private var status: StatusCall.Reply {
        state.withLock {
            StatusCall.Reply(processID: getpid(), offers: $0.table.count, heldBytes: $0.holdings.bytes)
        }
    }
}

extension ServedCall {
    func fail(_ fault: ExchangeRefusalError) {
        fail(domain: ExchangeRefusalError.domain, code: fault.code, message: fault.message)
    }
}

/// A process that is connected to the daemon.
struct ExchangePeer: Sendable {
    let number: UInt64
    let connection: Connection
    let identity: ProcessIdentity
}
