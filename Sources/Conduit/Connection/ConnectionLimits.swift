/// The limits of a connection. They limit the memory of this process that a peer can use.
package struct ConnectionLimits: Sendable {
    /// The maximum size, in bytes, of the body of a message that this side sends. `receivedMessageSize` is the maximum
    /// for receiving.
    package var sentMessageSize: Int
    package var receivedMessageSize: Int
    /// The maximum number of calls without a reply, for each direction. On the serving side, a call counts until its
    /// handler has replied to it or released it, even if the call was cancelled.
    package var callsInFlight: Int
    /// The maximum total size, in bytes, of the requests that are served at one time. `servedDescriptors` limits the
    /// number of their descriptors. A request is always served if no other request is being served.
    package var servedBytes: Int
    package var servedDescriptors: Int
    /// The maximum number of bytes that are queued for a peer that does not read. `queuedMessages` and
    /// `queuedDescriptors` limit the number of messages and descriptors. If a limit is exceeded, the connection is
    /// closed.
    package var queuedBytes: Int
    package var queuedMessages: Int
    package var queuedDescriptors: Int
    /// The maximum number of received descriptors that wait to be closed. While the number is greater, this side reads
    /// nothing from the peer.
    package var unclosedDescriptors: Int
    /// The maximum number of bytes that may be queued for the peer while this side still reads the peer's messages.
    /// While more bytes are queued, this side receives no further requests, and so queues no further replies. Only one
    /// side of a connection may set this limit. Otherwise, both sides could wait for each other forever.
    package var unreadBytes: Int

    /// The maximum number of descriptors of a message.
    package static let descriptorsPerMessage = 32

    package init(
        messageSize: Int = 16 << 20, callsInFlight: Int = 4096, servedBytes: Int = 256 << 20,
        servedDescriptors: Int = 4096, queuedBytes: Int = 16 << 20, queuedMessages: Int = 128 << 10,
        queuedDescriptors: Int = 4096, unreadBytes: Int = .max, unclosedDescriptors: Int = 1024
    ) {
        sentMessageSize = messageSize
        receivedMessageSize = messageSize
        self.callsInFlight = callsInFlight
        self.servedBytes = servedBytes
        self.servedDescriptors = servedDescriptors
        self.queuedBytes = queuedBytes
        self.queuedMessages = queuedMessages
        self.queuedDescriptors = queuedDescriptors
        self.unreadBytes = unreadBytes
        self.unclosedDescriptors = unclosedDescriptors
    }
}
