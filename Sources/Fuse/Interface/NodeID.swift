/// The number of a file between the kernel and a file system, which the file system chooses in its reply to a
/// look-up.
public struct NodeID: RawRepresentable, Hashable, Sendable {
    /// The number. It is never 0, which the kernel takes for "there is no such file".
    public let rawValue: UInt64

    /// Creates a node from its number.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The root directory of the mount.
    public static let root = NodeID(rawValue: 1)
}
