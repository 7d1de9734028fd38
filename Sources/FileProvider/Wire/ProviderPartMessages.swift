import Conduit
import ItemValues
import LinuxSystem

/// A request whether the provider supports partial fetches.
package struct ProviderServesPartsCall: ProviderCall, SchemaMessage {
    package typealias Value = ProviderServesParts
    package typealias Reply = ProviderReply<ProviderServesParts>
    package static var method: UInt64 { 62 }

    package init() {}

    package static let schema = Schema(Self.init)
}

package struct ProviderServesParts: SchemaMessage {
    package let servesParts: Bool

    package init(_ servesParts: Bool) { self.servesParts = servesParts }

    package static let schema = Schema(Self.init, Field(0, \.servesParts))
}

/// A request for a byte range of a file. It reports the number of bytes as progress.
package struct ProviderPartCall: ProviderCall {
    package typealias Value = ProviderPartFile
    package typealias Reply = ProviderReply<ProviderPartFile>
    package static var method: UInt64 { 63 }
    package let identifier: String
    /// The version that the bytes must belong to.
    package let contentVersion: [UInt8]
    package let metadataVersion: [UInt8]
    /// The bytes that are needed. The reply may contain more.
    package let range: Range<Int64>
    /// The alignment of the bounds in the reply, a power of two.
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

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        identifier = try decoder.decode(forKey: 0)
        contentVersion = try decoder.decode(ByteString.self, forKey: 1).bytes
        metadataVersion = try decoder.decode(ByteString.self, forKey: 2).bytes
        range = try decoder.decodeByteRange(start: 3, count: 4)
        alignment = try decoder.decode(forKey: 5)
        guard alignment > 0, alignment & (alignment - 1) == 0 else { throw .invalid("an alignment of \(alignment)") }
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encode(identifier, forKey: 0)
        encoder.encode(ByteString(contentVersion), forKey: 1)
        encoder.encode(ByteString(metadataVersion), forKey: 2)
        encoder.encode(range, start: 3, count: 4)
        encoder.encode(alignment, forKey: 5)
    }
}

/// A byte range of a file, and the item to which it belongs. The range is in an open file, at the same offsets.
package struct ProviderPartFile: Message {
    package let item: ProviderItem
    package let file: FileDescriptor
    /// The range of bytes that the file contains.
    package let range: Range<Int64>

    package init(item: ProviderItem, file: FileDescriptor, range: Range<Int64>) {
        self.item = item
        self.file = file
        self.range = range
    }

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        item = try decoder.decode(forKey: 0)
        file = try decoder.decode(forKey: 1)
        range = try decoder.decodeByteRange(start: 2, count: 3)
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encode(item, forKey: 0)
        encoder.encode(file, forKey: 1)
        encoder.encode(range, start: 2, count: 3)
    }
}

extension MessageDecoder {
    /// Decodes a byte range from its start and length. Checks both, so that later arithmetic cannot overflow.
    fileprivate mutating func decodeByteRange(start: UInt64, count: UInt64) throws(MessageError) -> Range<Int64> {
        let first = Int64(try decode(Int.self, forKey: start))
        let length = Int64(try decode(Int.self, forKey: count))
        let (end, isTooFar) = first.addingReportingOverflow(length)
        guard first >= 0, length >= 0, !isTooFar else { throw .invalid("\(length) bytes from \(first) on") }
        return first..<end
    }
}

extension MessageEncoder {
    fileprivate mutating func encode(_ range: Range<Int64>, start: UInt64, count: UInt64) {
        encode(Int(range.lowerBound), forKey: start)
        encode(Int(range.upperBound - range.lowerBound), forKey: count)
    }
}
