/// The limits of a connection. They limit the memory of this process that a peer can use.
package struct ConnectionLimits: Sendable {
    /// The maximum size in bytes of a message's body, for sending and for receiving.
    package var sentMessageSize: Int
    package var receivedMessageSize: Int
    /// The maximum number of calls that wait for a reply, for each direction. On the serving side, a call counts until
    /// its handler has replied to it or released it, even if the call was cancelled.
    package var callsInFlight: Int
    /// The maximum number of bytes and descriptors of the requests that are served at one time. A request is always
    /// served if no other request is being served.
    package var servedBytes: Int
    package var servedDescriptors: Int
    /// The maximum number of bytes, messages and descriptors that are queued for a peer that does not read. If a limit
    /// is exceeded, the connection is closed.
    package var queuedBytes: Int
    package var queuedMessages: Int
    package var queuedDescriptors: Int
    /// The maximum number of received descriptors that wait to be closed. Above this number, nothing is read from the
    /// peer.
    package var unclosedDescriptors: Int
    /// The maximum number of queued bytes at which the peer's messages are still read. Above this number, no further
    /// requests are received, so that no further replies are queued. Only one side of a connection may set it;
    /// otherwise, both sides could wait for each other forever.
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
