/// The number by which the kernel and a file system speak of a file: chosen by the file system in the answer to a look-up.
public struct NodeID: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt64

    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The folder that is mounted.
    public static let root = NodeID(rawValue: 1)
}
