/// What a connection allows, so that no peer can make this process grow without end.
package struct ConnectionLimits: Sendable {
    /// The most bytes a message's body has, in both directions.
    package var messageSize: Int
    /// The most calls that wait for an answer at one time, counted for each direction. On the serving side a call
    /// counts until its handler has answered it or let go of it, cancelled or not.
    package var callsInFlight: Int
    /// The most bytes that are kept for a peer that does not read. Beyond them the connection is closed.
    package var queuedBytes: Int
    /// While more than this is kept for a peer that does not read, nothing is read from it either: it gets no answers
    /// to more questions. Only for one side of a conversation, or two that wait for each other would wait for ever.
    package var unreadBytes: Int

    /// The most descriptors a message carries.
    package static let descriptorsPerMessage = 32

    package init(
        messageSize: Int = 16 << 20, callsInFlight: Int = 4096, queuedBytes: Int = 16 << 20, unreadBytes: Int = .max
    ) {
        self.messageSize = messageSize
        self.callsInFlight = callsInFlight
        self.queuedBytes = queuedBytes
        self.unreadBytes = unreadBytes
    }
}
