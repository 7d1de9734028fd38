import FileProvider
import LinuxSystem

/// What is asked for of a file's bytes.
package struct PartRequest: Sendable, Equatable {
    package var identifier: String
    /// The contents' version that the bytes have to be of.
    package var version: [UInt8]
    package var metadataVersion: [UInt8]
    /// At least these bytes.
    package var range: Range<Int64>
    /// A power of two, of which the bounds of what comes back are multiples, but for the end of the file.
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

/// Some bytes of a file.
package struct ProviderPart: Sendable {
    /// A regular file with the bytes at their places, open for reading.
    package var descriptor: FileDescriptor
    /// The item whose bytes they are.
    package var item: ProviderItem
    /// Which bytes are there.
    package var range: Range<Int64>

    package init(descriptor: FileDescriptor, item: ProviderItem, range: Range<Int64>) {
        self.descriptor = descriptor
        self.item = item
        self.range = range
    }
}
