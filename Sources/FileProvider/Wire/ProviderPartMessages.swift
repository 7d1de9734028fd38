import Conduit
import LinuxSystem

/// Whether the provider gives parts of files.
package struct ProviderServesPartsCall: ProviderCall {
    package typealias Value = ProviderServesParts
    package typealias Reply = ProviderReply<ProviderServesParts>
    package static var method: UInt64 { 62 }

    package init() {}

    package init(from decoder: inout MessageDecoder) throws(MessageError) {}

    package func encode(to encoder: inout MessageEncoder) {}
}

package struct ProviderServesParts: Message {
    package let servesParts: Bool

    package init(_ servesParts: Bool) { self.servesParts = servesParts }

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        servesParts = try decoder.decode(forKey: 0)
    }

    package func encode(to encoder: inout MessageEncoder) { encoder.encode(servesParts, forKey: 0) }
}

/// Some bytes of a file. Its progress is in bytes.
package struct ProviderPartCall: ProviderCall {
    package typealias Value = ProviderPartFile
    package typealias Reply = ProviderReply<ProviderPartFile>
    package static var method: UInt64 { 63 }
    package let identifier: String
    /// What the bytes have to be of.
    package let contentVersion: [UInt8]
    package let metadataVersion: [UInt8]
    /// At least these bytes.
    package let range: Range<Int64>
    /// A power of two, of which the bounds of what comes back are multiples.
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

/// Bytes of a file at their places in an open file, and what the provider says of the file that they are of.
package struct ProviderPartFile: Message {
    package let item: ProviderItem
    package let file: FileDescriptor
    /// Which bytes are there.
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
    /// Bytes of a file, as the first and how many there are. Whoever reckons with them does not leave the numbers that there are.
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
