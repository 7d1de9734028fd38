/// The number by which the kernel and a file system speak of a file: chosen by the file system in the answer to a look-up.
public struct NodeID: RawRepresentable, Hashable, Sendable {
    /// The number: never 0, which the kernel takes for "there is no such file".
    public let rawValue: UInt64

    /// A node from its number.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The folder that is mounted.
    public static let root = NodeID(rawValue: 1)
}
