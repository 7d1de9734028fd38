import ItemValues
import LinuxSystem

/// A request for a byte range of a file.
package struct PartRequest: Sendable, Equatable {
    package var identifier: String
    /// The version of the contents that the bytes must belong to.
    package var version: [UInt8]
    package var metadataVersion: [UInt8]
    /// The requested range. The provider may return a larger one.
    package var range: Range<Int64>
    /// The alignment of the returned range's bounds in bytes, a power of two. The upper bound need not be aligned if it
    /// is the end of the file.
    package var alignment: Int64

    package init(
        identifier: String, version: [UInt8], metadataVersion: [UInt8], range: Range<Int64>, alignment: Int64
    ) {
        self.identifier = identifier
        self.version = version
        self.metadataVersion = metadataVersion
        self.range = range
        self.alignment = alignment
    }
}

/// A part of a file's contents that a provider returned.
package struct ProviderPart: Sendable {
    /// A descriptor, open for reading, of a regular file that has the bytes at the same offsets as the item's contents.
    package var descriptor: FileDescriptor
    /// The item to whose contents the bytes belong.
    package var item: ProviderItem
    /// The range of bytes that the regular file contains.
    package var range: Range<Int64>

    package init(descriptor: FileDescriptor, item: ProviderItem, range: Range<Int64>) {
        self.descriptor = descriptor
        self.item = item
        self.range = range
    }
}
