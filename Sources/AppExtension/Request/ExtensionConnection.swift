import Conduit
import Foundation
import ItemProvider
import LinuxSystem
import Synchronization

/// A host's end of the socket to an extension's process: sends requests and gets back what comes of them.
package final class ExtensionConnection: Sendable {
    private let attachments = AttachmentExchange()
    private let connection: Connection

    /// Takes over a socket whose other end an extension's process has as its descriptor 3.
    ///
    /// - Parameter opensURL: asked when the extension wants a URL opened; tells whether it was.
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
        connection = try Connection(try SequencedPacketSocket(checking: socket), service: service)
        connection.onClose { [attachments] _ in attachments.end() }
    }

    deinit { connection.close() }

    /// Hands items to the extension and waits for what it returns. Cancelling the task ends the request.
    ///
    /// - Returns: the items; their attachments can be loaded for as long as this object is there.
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

    /// Tells the extension what became of its host: the name of one of the four notifications.
    package func notify(_ name: NSNotification.Name) throws {
        try connection.notify(HostNotice(name: name.rawValue))
    }

    /// Lets go of the extension, whatever it is doing.
    package func close() { connection.close() }
}

/// Why a request did not get an answer from its extension.
package enum ExtensionError: Error, Equatable, Sendable {
    /// The extension's process ended, or closed its socket.
    case ended
    /// The host gave up.
    case cancelled
    /// The extension let go of the request without an answer.
    case unanswered
    /// What was said between the two could not be understood; the text says how.
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
        case .unanswered: "the extension let go of the request without an answer"
        case .failed(let reason): "the extension could not be asked: \(reason)"
        }
    }

    package var errorDescription: String? { description }
}
