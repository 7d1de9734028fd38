import Conduit
import ConduitTestMessages
import LinuxSystem
import TestThreads
import Testing

@Suite(.ownThreads) struct SchemaTests {
    private func encode(_ message: some Message) -> [UInt8] {
        var encoder = MessageEncoder()
        message.write(to: &encoder)
        return encoder.bytes
    }

    private func decode<M: Message>(_ value: CBORValue, as _: M.Type = M.self) throws(MessageError) -> M {
        let result: Result<M, MessageError> = value.encoded.withUnsafeBytes { bytes in
            var decoder = MessageDecoder(bytes)
            do throws(MessageError) {
                return .success(try M.read(from: &decoder))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    /// A message with every kind of field.
    struct Record: SchemaMessage, Equatable {
        let name: String
        let count: Int?
        let isHidden: Bool
        let limit: UInt64
        let version: [UInt8]
        let tags: [UInt8]?
        let others: [Record]

        init(
            name: String, count: Int?, isHidden: Bool, limit: UInt64, version: [UInt8], tags: [UInt8]?, others: [Record]
        ) {
            self.name = name
            self.count = count
            self.isHidden = isHidden
            self.limit = limit
            self.version = version
            self.tags = tags
            self.others = others
        }

        static let schema = Schema(
            Self.init, Field(0, \.name), Field(1, \.count), Field(2, \.isHidden, default: false),
            Field(3, \.limit, absent: 7), Field(4, bytes: \.version), Field(5, bytes: \.tags), Field(9, \.others))
    }

    private let plain = Record(
        name: "a", count: nil, isHidden: false, limit: 7, version: [], tags: nil, others: [])
    private var full: Record {
        Record(name: "b", count: -1, isHidden: true, limit: 0, version: [1, 2], tags: [], others: [plain, plain])
    }

    /// A message with a rule about its values.
    struct Even: SchemaMessage {
        let number: Int

        init(number: Int) throws(MessageError) {
            guard number.isMultiple(of: 2) else { throw .invalid("an odd number") }
            self.number = number
        }

        static let schema = Schema(Self.init, Field(0, \.number))
    }

    /// A message with a rule that is only checked when the message is received.
    struct Small: SchemaMessage {
        let number: Int

        init(number: Int) { self.number = number }

        static let schema = Schema(Self.init, Field(0, \.number)).checked { message throws(MessageError) in
            guard message.number < 10 else { throw .invalid("a great number") }
        }
    }

    /// An enumeration with a tag.
    enum Event: SchemaMessage, Equatable {
        case begun(UInt64, name: String)
        case moved(Double?)
        case paused
        case failed(String)

        static let schema = Schema<Event>(tag: 0) {
            Case(7, Self.begun, Field(1, \.0), Field(3, \.1)) {
                if case .begun(let number, let name) = $0 { (number, name) } else { nil }
            }
            Case(1, Self.moved, Field(2, \.self)) { if case .moved(let place) = $0 { .some(place) } else { nil } }
            Case(2, Self.paused) { if case .paused = $0 { true } else { false } }
            Case(3, Self.failed, Field(2, \.self)) { if case .failed(let reason) = $0 { reason } else { nil } }
        }
    }

    /// An enumeration in which each case has a key, except one.
    enum Answer: SchemaMessage, Equatable {
        case value(Int)
        case named(String, Bool)
        case nothing

        static let schema = Schema<Answer>(tag: nil) {
            Case(0, Self.value, Field(0, \.self)) { if case .value(let value) = $0 { value } else { nil } }
            Case(2, Self.named, Field(2, \.0), Field(3, \.1)) {
                if case .named(let name, let flag) = $0 { (name, flag) } else { nil }
            }
            Case(otherwise: Self.nothing) { if case .nothing = $0 { true } else { false } }
        }
    }

    /// A message of two cases, with other fields beside them.
    struct Choice: SchemaMessage, Equatable {
        enum Kind: Equatable { case left(Int), right(String) }
        let number: Int
        let kind: Kind
        let isLast: Bool

        static let schema = Schema(
            { Choice(number: $0, kind: $1, isLast: $2) }, Field(0, \Choice.number), Field(inline: kindSchema, \.kind),
            Field(5, \.isLast))

        private static let kindSchema = Schema<Kind>(tag: nil) {
            Case(1, Kind.left, Field(1, \.self)) { if case .left(let number) = $0 { number } else { nil } }
            Case(2, Kind.right, Field(2, \.self)) { if case .right(let text) = $0 { text } else { nil } }
        }
    }

    @Test func aCaseIsToldByItsTag() throws {
        #expect(encode(Event.begun(1, name: "a")) == [0xBF, 0, 7, 1, 1, 3, 0x61, 0x61, 0xFF])
        #expect(encode(Event.moved(nil)) == [0xBF, 0, 1, 0xFF])
        #expect(encode(Event.paused) == [0xBF, 0, 2, 0xFF])
        let events: [Event] = [.begun(1, name: "a"), .moved(nil), .moved(1.5), .paused, .failed("b")]
        for event in events { #expect(try decode(value(of: event)) == event) }
        #expect(throws: MessageError.invalid("unknown Event: 9")) {
            try decode(.map([(.unsigned(0), .unsigned(9))]), as: Event.self)
        }
        #expect(throws: MessageError.missing(key: 0)) { try decode(.map([]), as: Event.self) }
    }

    @Test func aCaseIsToldByItsKey() throws {
        #expect(encode(Answer.named("a", true)) == [0xBF, 2, 0x61, 0x61, 3, 0xF5, 0xFF])
        #expect(encode(Answer.nothing) == [0xBF, 0xFF])
        let answers: [Answer] = [.value(-1), .named("", false), .nothing]
        for answer in answers { #expect(try decode(value(of: answer)) == answer) }
        #expect(throws: MessageError.missing(key: 3)) {
            try decode(.map([(.unsigned(2), .text("a"))]), as: Answer.self)
        }
    }

    @Test func casesAndFieldsAreOneMessage() throws {
        let choices = [
            Choice(number: 1, kind: .left(2), isLast: true), Choice(number: 1, kind: .right("a"), isLast: false),
        ]
        #expect(encode(choices[0]) == [0xBF, 0, 1, 1, 2, 5, 0xF5, 0xFF])
        for choice in choices { #expect(try decode(value(of: choice)) == choice) }
        #expect(throws: MessageError.missing(key: 2)) {
            try decode(.map([(.unsigned(0), .unsigned(1)), (.unsigned(5), .bool(true))]), as: Choice.self)
        }
    }

    private func value(of message: some Message) throws -> CBORValue {
        try encode(message).withUnsafeBytes { bytes in
            var reader = CBORReader(bytes)
            return try reader.readValue()
        }
    }

    @Test func aMessageComesBackAsItWas() throws {
        for record in [plain, full] {
            let (value, rest) = try encode(record).withUnsafeBytes { bytes in
                var reader = CBORReader(bytes)
                return (try reader.readValue(), reader.remaining)
            }
            #expect(rest == 0)
            #expect(try decode(value) == record)
        }
    }

    @Test func fieldsAreWrittenAsByHand() {
        let plain: [UInt8] = [0xBF, 0, 0x61, 0x61, 3, 7, 4, 0x40, 9, 0x80, 0xFF]
        #expect(encode(self.plain) == plain)
        let start: [UInt8] = [0xBF, 0, 0x61, 0x62, 1, 0x20, 2, 0xF5, 3, 0, 4, 0x42, 1, 2, 5, 0x40, 9, 0x82]
        #expect(encode(full) == start + plain + plain + [0xFF])
    }

    @Test func absentAndUnknownFieldsAreAllowed() throws {
        let fields: [(key: CBORValue, value: CBORValue)] = [
            (.unsigned(0), .text("a")), (.unsigned(1), .null), (.unsigned(4), .bytes([])), (.unsigned(7), .bool(true)),
            (.unsigned(9), .array([])), (.unsigned(100), .text("new")),
        ]
        #expect(try decode(.map(fields)) == plain)
        #expect(throws: MessageError.missing(key: 4)) {
            try decode(.map(fields.filter { $0.key != .unsigned(4) }), as: Record.self)
        }
    }

    @Test func aMessageThatBreaksItsRuleIsNotUnderstood() throws {
        #expect(try decode(.map([(.unsigned(0), .unsigned(4))]), as: Even.self).number == 4)
        #expect(throws: MessageError.invalid("an odd number")) {
            try decode(.map([(.unsigned(0), .unsigned(5))]), as: Even.self)
        }
        #expect(try decode(.map([(.unsigned(0), .unsigned(9))]), as: Small.self).number == 9)
        #expect(throws: MessageError.invalid("a great number")) {
            try decode(.map([(.unsigned(0), .unsigned(10))]), as: Small.self)
        }
    }
}
