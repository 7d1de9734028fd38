/// The process that made a request, as the kernel knew it at that time.
///
/// All three numbers are 0 for requests that the kernel makes by itself, such as writing back a mapped file.
public struct Caller: Hashable, Sendable {
    /// The user ID for file system access.
    public let userID: UInt32
    /// The group ID for file system access.
    public let groupID: UInt32
    /// The thread's number in the mount's process namespace.
    public let processID: Int32

    /// Creates a caller from its parts.
    public init(userID: UInt32, groupID: UInt32, processID: Int32) {
        self.userID = userID
        self.groupID = groupID
        self.processID = processID
    }
}
