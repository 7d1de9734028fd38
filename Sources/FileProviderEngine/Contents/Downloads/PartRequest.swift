import ItemValues
import LinuxSystem

/// A request for a byte range of a file.
package struct PartRequest: Sendable, Equatable {
    package var identifier: String
    /// The version of the contents that the bytes must belong to.
    package var version: [UInt8]
    package var metadataVersion: [UInt8]
    /// The requested range. The reply may cover more.
    package var range: Range<Int64>
    /// The alignment of the returned range in bytes, a power of two. The range's end may be unaligned at the end of
    /// the file.
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

/// A byte range of a file, as a provider returned it.
package struct ProviderPart: Sendable {
    /// A regular file with the bytes at their offsets, open for reading.
    package var descriptor: FileDescriptor
    /// The item that the bytes belong to.
    package var item: ProviderItem
    /// The range of bytes that the file has.
    package var range: Range<Int64>

    package init(descriptor: FileDescriptor, item: ProviderItem, range: Range<Int64>) {
        self.descriptor = descriptor
        self.item = item
        self.range = range
    }
}
