import Conduit
import Foundation
import ItemProvider
import LinuxSystem
import Synchronization

/// A host's end of the socket to an extension's process, for requests and their results.
package final class ExtensionConnection: Sendable {
    private let attachments = AttachmentExchange()
    private let connection: Connection

    /// Takes ownership of a socket. Its other end is descriptor 3 of an extension's process.
    ///
    /// - Parameter opensURL: Called when the extension asks to open a URL. Returns whether that succeeded.
    package init(
        _ socket: FileDescriptor, opensURL: @escaping @Sendable (URL) -> Bool = { _ in false }
    ) throws(Errno) {
        var service = Service()
        attachments.serve(on: &service)
        service.on(OpenURLCall.self) { request, call in
            HandlerThreads.shared.run {
                call.reply(.init(wasOpened: URL(string: request.url).map(opensURL) ?? false))
            }
        }
        connection = try Connection(
            try SequencedPacketSocket(checking: socket), service: service, isPeerConfined: true)
        connection.onClose { [attachments] _ in attachments.end() }
    }

    deinit { connection.close() }

    /// Sends items to the extension and waits for the items that it returns. If the task is cancelled, the request
    /// ends.
    ///
    /// - Returns: The items. Their attachments can be loaded while this object exists.
    /// - Throws: ``ExtensionError``, or the error with which the extension cancelled the request.
    package func request(_ items: sending [NSExtensionItem]) async throws -> sending [NSExtensionItem] {
        let reply: BeginRequestCall.Reply
        do throws(ConduitError) {
            reply = try await connection.call(BeginRequestCall(items: attachments.messages(items)))
        } catch {
            throw ExtensionError(error)
        }
        switch reply {
        case .completed(let messages): return attachments.items(messages, from: connection)
        case .cancelled(let failure): throw failure.error
        }
    }

    /// Notifies the extension of a change of its host's state. The name is that of one of the four notifications, such
    /// as `NSExtensionHostDidBecomeActive`.
    package func notify(_ name: NSNotification.Name) throws {
        try connection.notify(HostNotice(name: name.rawValue))
    }

    /// Closes the connection, regardless of its activity.
    package func close() { connection.close() }
}

/// The failure of a request to an extension, other than an error that the extension itself reports.
package enum ExtensionError: Error, Equatable, Sendable {
    /// The extension's process ended, or closed its socket.
    case ended
    /// The host cancelled the request.
    case cancelled
    /// The extension released the request without a reply.
    case unanswered
    /// A message was invalid. The text gives the reason.
    case failed(String)

    init(_ error: ConduitError) {
        self =
            switch error {
            case .disconnected: .ended
            case .cancelled: .cancelled
            case .remote(let failure) where failure.conduitCode == .unanswered: .unanswered
            default: .failed("\(error)")
            }
    }
}

extension ExtensionError: LocalizedError, CustomStringConvertible {
    package var description: String {
        switch self {
        case .ended: "the extension ended before it answered"
        case .cancelled: "the request was cancelled"
        case .unanswered: "the extension released the request without a reply"
        case .failed(let reason): "the extension could not be asked: \(reason)"
        }
    }

    package var errorDescription: String? { description }
}
