/// The limits of a connection. They bound the memory that a peer can make this process use.
package struct ConnectionLimits: Sendable {
    /// The most bytes that a message's body has: of one that this side sends, and of one that it takes.
    package var sentMessageSize: Int
    package var receivedMessageSize: Int
    /// The maximum number of calls that wait for a reply, for each direction. On the serving side, a call counts
    /// until its handler has replied or dropped it, cancelled or not.
    package var callsInFlight: Int
    /// The most bytes of the requests, and the most descriptors with them, that are being served at one time. A
    /// request that comes when no other is being served is always served.
    package var servedBytes: Int
    package var servedDescriptors: Int
    /// The most bytes, messages and descriptors that are kept for a peer that does not read. Beyond them the
    /// connection is closed.
    package var queuedBytes: Int
    package var queuedMessages: Int
    package var queuedDescriptors: Int
    /// While more descriptors than this of those that the peer sent wait to be closed, nothing is read from it.
    package var unclosedDescriptors: Int
    /// The number of queued bytes above which nothing is read from the peer, so that it gets no replies to more
    /// requests. Only one side of a connection may set it; otherwise, both sides could wait for each other forever.
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
