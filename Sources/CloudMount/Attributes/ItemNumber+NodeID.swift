import FileProviderEngine
import Fuse
import ItemStore

extension ItemNumber {
    /// The item's inode number, which is equal to its item number.
    var node: NodeID { NodeID(rawValue: UInt64(bitPattern: rawValue)) }

    init(_ node: NodeID) { self.init(rawValue: Int64(bitPattern: node.rawValue)) }
}
