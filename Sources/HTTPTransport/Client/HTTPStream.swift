/// A response whose body arrives in pieces. Releasing the stream ends the transfer.
///
/// The transfer pauses while 1 MiB waits to be read.
public final class HTTPStream: Sendable {
    /// The head of the response. If the status is not 2xx, the response has the body, and the stream is empty.
    public let response: HTTPResponse

    private let buffer: StreamBuffer
    private let id: TransferID
    /// Keeps the client's thread running.
    private let client: HTTPClient

    init(_ response: HTTPResponse, _ buffer: StreamBuffer, _ id: TransferID, _ client: HTTPClient) {
        self.response = response
        self.buffer = buffer
        self.id = id
        self.client = client
    }

    deinit { client.mailbox.send(.cancel(id)) }

    /// Waits for the next piece of the body, and returns the pieces in order. Returns `nil` after the last piece, and
    /// throws if the connection is lost before that.
    public func next() async throws(HTTPError) -> [UInt8]? {
        let result = await withTaskCancellationHandler {
            await buffer.next { client.mailbox.send(.resume(id)) }
        } onCancel: {
            client.mailbox.send(.cancel(id))
        }
        return try result.get()
    }
}
