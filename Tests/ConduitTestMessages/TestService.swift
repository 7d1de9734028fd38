import Conduit
import Synchronization

/// A service for the calls that do not depend on the process.
package final class TestService: Sendable {
    private struct State {
        var waits: [ServedCall<Wait>] = []
        var cancelledWaits = 0
        var remarks: [String] = []
    }

    private let state = Mutex(State())

    package init() {}

    package var cancelledWaits: Int { state.withLock { $0.cancelledWaits } }
    package var heldWaits: Int { state.withLock { $0.waits.count } }
    package var remarks: [String] { state.withLock { $0.remarks } }

    /// Drops the calls that wait for a reply. Their callers receive an error.
    package func dropWaits() {
        // Outside the lock, as the end of an exchange sends a message.
        let waits = state.withLock { state in
            defer { state.waits = [] }
            return state.waits
        }
        withExtendedLifetime(waits) {}
    }

    /// Stores a call that gets its reply later.
    package func hold(_ call: ServedCall<Wait>) { state.withLock { $0.waits.append(call) } }

    package func takeWaits() -> [ServedCall<Wait>] {
        state.withLock { state in
            defer { state.waits = [] }
            return state.waits
        }
    }

    package var service: Service {
        var service = Service()
        service.on(Echo.self) { request, exchange in exchange.reply(request.parcel) }
        service.on(Count.self) { request, exchange in
            for step in 0..<request.limit { exchange.report(completed: step + 1, total: request.limit) }
            exchange.reply()
        }
        service.on(Wait.self) { [self] _, exchange in
            exchange.onCancel { self.state.withLock { $0.cancelledWaits += 1 } }
            state.withLock { $0.waits.append(exchange) }
        }
        service.on(Fail.self) { request, exchange in
            exchange.fail(domain: "Test", code: request.code, message: "as asked", underlying: "by the caller")
        }
        service.on(Drop.self) { _, _ in }
        service.on(CallBack.self) { request, exchange in
            exchange.connection.call(Echo(Parcel(number: request.number))) { result in
                if case .success(let parcel) = result { exchange.reply(parcel) }
            }
        }
        service.on(Remark.self) { [self] remark, _ in state.withLock { $0.remarks.append(remark.words) } }
        return service
    }
}
