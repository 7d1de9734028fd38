import Fuse

/// The protocol between the listening process and a process that serves a connection. Each message is one packet.
enum Channel {
    /// The argument of a serving process. It inherits the connection and the socket to the listening process as the
    /// descriptors below.
    static let argument = "--serve"
    static let connection: Int32 = 3
    static let listener: Int32 = 4

    /// The listening process's first message, which makes the other one begin to serve.
    static let begin: Int32 = 0

    /// A change of the number of registered files: 1 before a file is registered, -1 after one is deregistered.
    typealias Change = Int32
    /// The reply to each change: 0, or a negated error number.
    typealias Answer = Int32
}
