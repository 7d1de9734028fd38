import Conduit
import LinuxSystem

/// Returns its argument.
package struct Echo: Call {
    package typealias Reply = Parcel
    package static let method: UInt64 = 1
    package var parcel: Parcel

    package init(_ parcel: Parcel) { self.parcel = parcel }
    package init(from decoder: inout MessageDecoder) throws(MessageError) { parcel = try decoder.decode(forKey: 0) }
    package func encode(to encoder: inout MessageEncoder) { encoder.encode(parcel, forKey: 0) }
}

/// A number, text, bytes and descriptors.
package struct Parcel: Message {
    package var number: Int64
    package var words: String?
    package var bytes: [UInt8]
    package var files: [FileDescriptor]

    package init(number: Int64 = 0, words: String? = nil, bytes: [UInt8] = [], files: [FileDescriptor] = []) {
        (self.number, self.words, self.bytes, self.files) = (number, words, bytes, files)
    }

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        number = try decoder.decode(forKey: 0)
        words = try decoder.decodeIfPresent(forKey: 1)
        bytes = try decoder.decodeBytes(forKey: 2) { [UInt8]($0) }
        files = try decoder.decodeIfPresent(forKey: 3) ?? []
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encode(number, forKey: 0)
        encoder.encodeIfPresent(words, forKey: 1)
        bytes.withUnsafeBytes { encoder.encode(bytes: $0, forKey: 2) }
        if !files.isEmpty { encoder.encode(files, forKey: 3) }
    }
}
