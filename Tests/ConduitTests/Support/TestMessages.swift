import Conduit
import LinuxSystem

/// Gives back what it was given.
struct Echo: Call {
    typealias Reply = Parcel
    static let method: UInt64 = 1
    var parcel: Parcel

    init(_ parcel: Parcel) { self.parcel = parcel }
    init(from decoder: inout MessageDecoder) throws(MessageError) { parcel = try decoder.decode(forKey: 0) }
    func encode(to encoder: inout MessageEncoder) { encoder.encode(parcel, forKey: 0) }
}

/// A number, words, bytes and descriptors.
struct Parcel: Message {
    var number: Int64 = 0
    var words: String?
    var bytes: [UInt8] = []
    var files: [FileDescriptor] = []

    init(number: Int64 = 0, words: String? = nil, bytes: [UInt8] = [], files: [FileDescriptor] = []) {
        (self.number, self.words, self.bytes, self.files) = (number, words, bytes, files)
    }

    init(from decoder: inout MessageDecoder) throws(MessageError) {
        number = try decoder.decode(forKey: 0)
        words = try decoder.decodeIfPresent(forKey: 1)
        bytes = try decoder.decodeBytes(forKey: 2) { [UInt8]($0) }
        files = try decoder.decodeIfPresent(forKey: 3) ?? []
    }

    func encode(to encoder: inout MessageEncoder) {
        encoder.encode(number, forKey: 0)
        encoder.encodeIfPresent(words, forKey: 1)
        bytes.withUnsafeBytes { encoder.encode(bytes: $0, forKey: 2) }
        if !files.isEmpty { encoder.encode(files, forKey: 3) }
    }
}

/// Counts to a number, reporting each step.
struct Count: Call {
    typealias Reply = Empty
    static let method: UInt64 = 2
    var limit: Int64

    init(to limit: Int64) { self.limit = limit }
    init(from decoder: inout MessageDecoder) throws(MessageError) { limit = try decoder.decode(forKey: 0) }
    func encode(to encoder: inout MessageEncoder) { encoder.encode(limit, forKey: 0) }
}

/// Is answered when the test says so, or never.
struct Wait: Call {
    typealias Reply = Empty
    static let method: UInt64 = 3

    init() {}
    init(from decoder: inout MessageDecoder) throws(MessageError) {}
    func encode(to encoder: inout MessageEncoder) {}
}

struct Remark: Notice {
    static let method: UInt64 = 1
    var words: String

    init(_ words: String) { self.words = words }
    init(from decoder: inout MessageDecoder) throws(MessageError) { words = try decoder.decode(forKey: 0) }
    func encode(to encoder: inout MessageEncoder) { encoder.encode(words, forKey: 0) }
}
