import FileProviderEngine
import Fuse

extension ItemNumber {
    /// An item's number is its inode's.
    var node: NodeID { NodeID(rawValue: UInt64(bitPattern: rawValue)) }

    init(_ node: NodeID) { self.init(rawValue: Int64(bitPattern: node.rawValue)) }
}
