import Conduit
import ItemValues
import LinuxSystem

/// A request for the ways in which the provider can fetch contents.
package struct ProviderServesPartsCall: ProviderCall, SchemaMessage {
    package typealias Value = ProviderServesParts
    package typealias Reply = ProviderReply<ProviderServesParts>
    package static var method: UInt64 { 62 }

    package init() {}

    package static let schema = Schema(Self.init)
}

package struct ProviderServesParts: SchemaMessage {
    /// Whether the provider can fetch a byte range of a file.
    package let servesParts: Bool
    /// Whether the provider can use a local earlier version of a file when it fetches the file, for example to transfer
    /// only the difference.
    package let usesExisting: Bool
    /// Whether the provider keeps copies of the files that it returned, until a ``ProviderStopCall`` makes it delete
    /// them.
    package let keepsCopies: Bool

    package init(_ servesParts: Bool, usesExisting: Bool = false, keepsCopies: Bool = true) {
        self.servesParts = servesParts
        self.usesExisting = usesExisting
        self.keepsCopies = keepsCopies
    }

    package static let schema = Schema(
        Self.init, Field(0, \.servesParts), Field(1, \.usesExisting, default: false),
        Field(2, \.keepsCopies, default: true))
}

/// A request for a byte range of a file. The provider reports progress in bytes.
package struct ProviderPartCall: ProviderCall, SchemaMessage {
    package typealias Value = ProviderPartFile
    package typealias Reply = ProviderReply<ProviderPartFile>
    package static var method: UInt64 { 63 }
    package let identifier: String
    /// The version to which the bytes must belong.
    package let contentVersion: [UInt8]
    package let metadataVersion: [UInt8]
    /// The byte range that is needed. The reply may contain more.
    package let range: Range<Int64>
    /// The alignment in bytes of the start and the end of the range in the reply; a power of two.
    package let alignment: Int

    package init(
        identifier: String, contentVersion: [UInt8], metadataVersion: [UInt8], range: Range<Int64>, alignment: Int
    ) {
        self.identifier = identifier
        self.contentVersion = contentVersion
        self.metadataVersion = metadataVersion
        self.range = range
        self.alignment = alignment
    }

    package static let schema = Schema(
        Self.init, Field(0, \.identifier), Field(1, bytes: \.contentVersion), Field(2, bytes: \.metadataVersion),
        Field(inline: .byteRange(start: 3, count: 4), \.range), Field(5, \.alignment)
    ).checked { call throws(MessageError) in
        guard call.alignment > 0, call.alignment & (call.alignment - 1) == 0 else {
            throw .invalid("an alignment of \(call.alignment)")
        }
    }
}

/// A byte range of a file, with the item to which the bytes belong. The bytes are in an open file, at the same offsets
/// as in the item's own file.
package struct ProviderPartFile: SchemaMessage {
    package let item: ProviderItem
    package let file: FileDescriptor
    /// The byte range that the open file contains.
    package let range: Range<Int64>

    package init(item: ProviderItem, file: FileDescriptor, range: Range<Int64>) {
        self.item = item
        self.file = file
        self.range = range
    }

    package static let schema = Schema(
        Self.init, Field(0, \.item), Field(1, \.file), Field(inline: .byteRange(start: 2, count: 3), \.range))
}

extension Schema where Root == Range<Int64> {
    /// Returns the schema of a byte range, which is encoded as its start and its length under the two given keys.
    /// Decoding checks both, so that later arithmetic cannot overflow.
    fileprivate static func byteRange(start: UInt64, count: UInt64) -> Schema {
        Schema(
            { (first: Int64, length: Int64) throws(MessageError) in
                let (end, isTooFar) = first.addingReportingOverflow(length)
                guard first >= 0, length >= 0, !isTooFar else { throw .invalid("\(length) bytes from \(first) on") }
                return first..<end
            },
            Field(start, \Range<Int64>.lowerBound), Field(count, { $0.upperBound - $0.lowerBound }))
    }
}
