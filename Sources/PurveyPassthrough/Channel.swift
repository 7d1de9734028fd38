import Fuse

/// What the listening process and one that serves a connection say to each other. Each message is one packet.
enum Channel {
    /// What the program is started with to serve the connection that is its descriptor of that number.
    static let argument = "--serve"
    static let connection: Int32 = 3
    static let listener: Int32 = 4

    /// Comes first, from the listening process.
    static let begin: Int32 = 0

    /// 1 before a file is registered, -1 after it was taken back.
    typealias Change = Int32
    /// 0, or an error number with its sign changed. Comes for each change.
    typealias Answer = Int32
}
