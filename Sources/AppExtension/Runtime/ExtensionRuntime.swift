import Conduit
import Foundation
import FoundationAdditions
import Glibc
import ItemProvider
import LinuxSystem
import Synchronization

/// A server of the requests that arrive over one socket. Each request has its own object of the principal class and its
/// own context.
package final class ExtensionRuntime: Sendable {
    private let attachments = AttachmentExchange()
    private let principal: PrincipalClass
    private struct State {
        var connection: Connection?
        /// The running requests. The handler object of a request is retained until the end of the request.
        var requests: [UInt64: RunningRequest] = [:]
        var next: UInt64 = 0
    }
    // Leaf lock: the extension's code runs after it is released.
    private let state = Mutex(State())

    package init(_ principal: PrincipalClass) { self.principal = principal }

    /// Serves until the host closes the socket.
    ///
    /// - Parameter ended: Called when the host has closed the socket.
    package func serve(_ socket: FileDescriptor, ended: @escaping @Sendable () -> Void) throws(Errno) {
        var service = Service()
        attachments.serve(on: &service)
        service.on(BeginRequestCall.self) { [weak self] request, call in self?.begin(request, call) }
        service.on(HostNotice.self) { notice, _ in
            HandlerThreads.shared.run {
                NotificationCenter.default.post(name: NSNotification.Name(notice.name), object: nil)
            }
        }
        let connection = try Connection(try SequencedPacketSocket(checking: socket), service: service)
        state.withLock { $0.connection = connection }
        connection.onClose { [attachments] _ in
            attachments.end()
            ended()
        }
    }

    private func begin(_ request: BeginRequestCall, _ call: ServedCall<BeginRequestCall>) {
        let number = state.withLock { state in
            state.next += 1
            return state.next
        }
        let host = NSExtensionContext.Host(
            complete: { returned, completion in
                let expired = call.isCancelled
                call.reply(.completed(self.attachments.messages(returned.value)))
                self.finish(number)
                completion(expired)
            },
            cancel: { error in
                call.reply(.cancelled(FailureMessage(error)))
                self.finish(number)
            },
            open: { url, completion in
                call.connection.call(OpenURLCall(url: url.absoluteString)) { result in
                    let wasOpened = (try? result.get())?.wasOpened ?? false
                    HandlerThreads.shared.run { completion(wasOpened) }
                }
            })
        call.onCancel { self.finish(number) }
        // The extension's code runs on another thread, because it may block.
        HandlerThreads.shared.run {
            let items = self.attachments.items(request.items, from: call.connection)
            let running = RunningRequest(
                handler: self.principal.make(), context: NSExtensionContext(inputItems: items, host: host))
            self.state.withLock { $0.requests[number] = running }
            running.handler.beginRequest(with: running.context)
        }
    }

    private func finish(_ number: UInt64) {
        let request = state.withLock { $0.requests.removeValue(forKey: number) }
        withExtendedLifetime(request) {}
    }
}

/// A request with the object that handles it. Sendable because the runtime only stores the handler and the context.
/// Only the extension's code uses them.
private struct RunningRequest: @unchecked Sendable {
    let handler: any NSExtensionRequestHandling
    let context: NSExtensionContext
}
