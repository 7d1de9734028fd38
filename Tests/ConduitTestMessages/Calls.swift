import Conduit

/// Counts to a number, reporting each step.
package struct Count: Call {
    package typealias Reply = Empty
    package static let method: UInt64 = 2
    package var limit: Int64

    package init(to limit: Int64) { self.limit = limit }
    package init(from decoder: inout MessageDecoder) throws(MessageError) { limit = try decoder.decode(forKey: 0) }
    package func encode(to encoder: inout MessageEncoder) { encoder.encode(limit, forKey: 0) }
}

/// A call that gets no reply while its caller waits.
package struct Wait: Call {
    package typealias Reply = Empty
    package static let method: UInt64 = 3

    package init() {}
    package init(from decoder: inout MessageDecoder) throws(MessageError) {}
    package func encode(to encoder: inout MessageEncoder) {}
}

/// Fails with the given code.
package struct Fail: Call {
    package typealias Reply = Empty
    package static let method: UInt64 = 4
    package var code: Int64

    package init(code: Int64) { self.code = code }
    package init(from decoder: inout MessageDecoder) throws(MessageError) { code = try decoder.decode(forKey: 0) }
    package func encode(to encoder: inout MessageEncoder) { encoder.encode(code, forKey: 0) }
}

/// A call that the service drops without a reply.
package struct Drop: Call {
    package typealias Reply = Empty
    package static let method: UInt64 = 5

    package init() {}
    package init(from decoder: inout MessageDecoder) throws(MessageError) {}
    package func encode(to encoder: inout MessageEncoder) {}
}

/// Makes the service request an echo from the caller before it replies.
package struct CallBack: Call {
    package typealias Reply = Parcel
    package static let method: UInt64 = 6
    package var number: Int64

    package init(number: Int64) { self.number = number }
    package init(from decoder: inout MessageDecoder) throws(MessageError) { number = try decoder.decode(forKey: 0) }
    package func encode(to encoder: inout MessageEncoder) { encoder.encode(number, forKey: 0) }
}

/// A notice with text, which gets no reply.
package struct Remark: Notice {
    package static let method: UInt64 = 1
    package var words: String

    package init(_ words: String) { self.words = words }
    package init(from decoder: inout MessageDecoder) throws(MessageError) { words = try decoder.decode(forKey: 0) }
    package func encode(to encoder: inout MessageEncoder) { encoder.encode(words, forKey: 0) }
}
