/// What a connection allows, so that no peer can make this process grow without end.
package struct ConnectionLimits: Sendable {
    /// The most bytes that a message's body has: of one that this side sends, and of one that it takes.
    package var sentMessageSize: Int
    package var receivedMessageSize: Int
    /// The most calls that wait for an answer at one time, counted for each direction. On the serving side a call
    /// counts until its handler has answered it or let go of it, cancelled or not.
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
    /// While more than this is kept for a peer that does not read, nothing is read from it either: it gets no answers
    /// to more questions. Only for one side of a conversation, or two that wait for each other would wait for ever.
    package var unreadBytes: Int

    /// The most descriptors a message carries.
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
