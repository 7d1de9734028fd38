/// Who asks: the process whose system call led to a request, as the kernel knew it then.
///
/// All three are 0 for what the kernel does on its own account, such as writing back a mapped file.
public struct Caller: Hashable, Sendable {
    /// The user that files are accessed as (the file system user ID).
    public let userID: UInt32
    /// Likewise the group.
    public let groupID: UInt32
    /// The thread's number in the mount's process namespace.
    public let processID: Int32

    /// A caller from its parts.
    public init(userID: UInt32, groupID: UInt32, processID: Int32) {
        self.userID = userID
        self.groupID = groupID
        self.processID = processID
    }
}
