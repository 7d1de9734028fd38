import Conduit
import ConduitTestMessages
import FileTesting
import LinuxSystem
import TestThreads
import Testing

@Suite(.ownThreads) struct MessageTests {
    private func encode(_ message: some Message) -> (bytes: [UInt8], descriptors: [FileDescriptor]) {
        var encoder = MessageEncoder()
        message.write(to: &encoder)
        return (encoder.bytes, encoder.descriptors)
    }

    private func decode<M: Message>(
        _: M.Type, _ bytes: [UInt8], _ descriptors: [FileDescriptor] = []
    ) throws(MessageError) -> M {
        let result: Result<M, MessageError> = bytes.withUnsafeBytes { bytes in
            var decoder = MessageDecoder(bytes, descriptors: descriptors)
            do throws(MessageError) {
                return .success(try M.read(from: &decoder))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    private func decode<M: Message>(_ value: CBORValue, as _: M.Type) throws(MessageError) -> M {
        try decode(M.self, value.encoded)
    }

    /// A message with every kind of value.
    struct Everything: Message, Equatable {
        enum Color: String, MessageValue { case red, green }
        enum Level: UInt8, MessageValue { case low = 1, high = 7 }

        var flag = true
        var signed: Int64 = .min
        var unsigned: UInt64 = .max
        var real = 0.1
        var words = "\u{10151} ü"
        var bytes = ByteString([0, 255])
        var color = Color.green
        var level = Level.high
        var numbers: [Int32] = [-1, 0, .max]
        var empty = Empty()
        var lists: [[String]] = [[], ["a"], ["b", ""]]
        var absent: String?
        var late: Int? = 5

        init() {}

        init(from decoder: inout MessageDecoder) throws(MessageError) {
            flag = try decoder.decode(forKey: 0)
            signed = try decoder.decode(forKey: 1)
            unsigned = try decoder.decode(forKey: 2)
            real = try decoder.decode(forKey: 3)
            words = try decoder.decode(forKey: 4)
            bytes = try decoder.decode(forKey: 5)
            color = try decoder.decode(forKey: 6)
            level = try decoder.decode(forKey: 7)
            numbers = try decoder.decode(forKey: 8)
            empty = try decoder.decode(forKey: 9)
            lists = try decoder.decode(forKey: 30)
            absent = try decoder.decodeIfPresent(forKey: 31)
            late = try decoder.decodeIfPresent(forKey: 1000)
        }

        func encode(to encoder: inout MessageEncoder) {
            encoder.encode(flag, forKey: 0)
            encoder.encode(signed, forKey: 1)
            encoder.encode(unsigned, forKey: 2)
            encoder.encode(real, forKey: 3)
            encoder.encode(words, forKey: 4)
            encoder.encode(bytes, forKey: 5)
            encoder.encode(color, forKey: 6)
            encoder.encode(level, forKey: 7)
            encoder.encode(numbers, forKey: 8)
            encoder.encode(empty, forKey: 9)
            encoder.encode(lists, forKey: 30)
            encoder.encodeIfPresent(absent, forKey: 31)
            encoder.encodeIfPresent(late, forKey: 1000)
        }
    }

    /// A message whose two values are read in another order than that of their keys.
    struct Backwards: Message, Equatable {
        var first: Int
        var second: [Int]
        var third: String?

        init(from decoder: inout MessageDecoder) throws(MessageError) {
            third = try decoder.decodeIfPresent(forKey: 9)
            second = try decoder.decode(forKey: 5)
            _ = try decoder.contains(key: 7)
            first = try decoder.decode(forKey: 2)
            let again: [Int] = try decoder.decode(forKey: 5)
            guard again == second else { throw .invalid("two readings differ") }
        }

        func encode(to encoder: inout MessageEncoder) {
            encoder.encode(first, forKey: 2)
            encoder.encode(second, forKey: 5)
        }
    }

    /// A message that reads the values of the keys that exist. It checks each key before it reads the value.
    struct Asking: Message {
        var found: [UInt64: String] = [:]

        init(from decoder: inout MessageDecoder) throws(MessageError) {
            // Also out of order.
            for key: UInt64 in [1, 2, 3, 3, 7, 5, 4, 9, 0] where try decoder.contains(key: key) {
                found[key] = try decoder.decode(forKey: key)
            }
            // Checking a key without reading it must not disturb decoding.
            _ = try decoder.contains(key: 9)
        }

        func encode(to encoder: inout MessageEncoder) {}
    }

    @Test func whetherThereIsAKeyIsAskedBeforeItIsRead() throws {
        let keys: [UInt64] = [1, 3, 5, 9]
        let bytes: CBORValue = .map(keys.map { (.unsigned($0), .text("\($0)")) })
        #expect(try decode(bytes, as: Asking.self).found == [1: "1", 3: "3", 5: "5", 9: "9"])
    }

    struct Nested: Message {
        var inner: [Nested]

        init(depth: Int) { inner = depth == 0 ? [] : [Nested(depth: depth - 1)] }
        init(from decoder: inout MessageDecoder) throws(MessageError) { inner = try decoder.decode(forKey: 0) }
        func encode(to encoder: inout MessageEncoder) { encoder.encode(inner, forKey: 0) }
    }

    @Test func everyKindOfValueComesBackAsItWas() throws {
        #expect(try decode(Everything.self, encode(Everything()).bytes) == Everything())
    }

    @Test func keysThatAreNotRequestedAreSkippedWhateverTheyHold() throws {
        let unknown: CBORValue = .map([(.text("x"), .array([.tagged(9, .float(1.5)), .null, .undefined]))])
        let bytes: CBORValue = .map([
            (.unsigned(0), unknown), (.unsigned(2), .unsigned(1)), (.unsigned(3), unknown),
            (.unsigned(5), .array([.unsigned(8)])), (.unsigned(6), .bytes([1])), (.unsigned(70000), unknown),
        ])
        let message = try decode(bytes, as: Backwards.self)
        #expect(message.first == 1)
        #expect(message.second == [8])
        #expect(message.third == nil)
    }

    @Test func valuesCanBeReadInAnyOrder() throws {
        let bytes: CBORValue = .map([
            (.unsigned(2), .negative(3)), (.unsigned(5), .array([])), (.unsigned(7), .null),
            (.unsigned(9), .text("last")),
        ])
        let message = try decode(bytes, as: Backwards.self)
        #expect(message.first == -4)
        #expect(message.third == "last")
    }

    @Test func anAbsentKeyThatIsNeededIsNamed() {
        #expect(throws: MessageError.missing(key: 5)) {
            try decode(.map([(.unsigned(2), .unsigned(1))]), as: Backwards.self)
        }
        #expect(throws: MessageError.missing(key: 0)) { try decode(.map([]), as: Remark.self) }
    }

    @Test func nullMeansAbsent() throws {
        let bytes: CBORValue = .map([
            (.unsigned(2), .unsigned(0)), (.unsigned(5), .array([])), (.unsigned(9), .null),
        ])
        #expect(try decode(bytes, as: Backwards.self).third == nil)
    }

    @Test(arguments: [[5, 2], [2, 2, 5], [2, 5, 5], [2, 5, 8, 8], [2, 5, 9, 8]] as [[UInt64]])
    func keysOutOfOrderOrTwiceAreRefused(keys: [UInt64]) {
        let bytes: CBORValue = .map(
            keys.map { (.unsigned($0), $0 == 5 ? .array([]) : $0 == 9 ? .text("") : .unsigned(0)) })
        #expect { try decode(bytes, as: Backwards.self) } throws: { error in
            guard case MessageError.keysOutOfOrder = error else { return false }
            return true
        }
    }

    @Test func anUnknownRawValueIsRefusedByName() {
        #expect { try decode(.map([(.unsigned(0), .text("blue"))]), as: Tinted.self) } throws: { error in
            "\(error)".contains("Color") && "\(error)".contains("blue")
        }
    }

    struct Tinted: Message {
        var color: Everything.Color
        init(from decoder: inout MessageDecoder) throws(MessageError) { color = try decoder.decode(forKey: 0) }
        func encode(to encoder: inout MessageEncoder) { encoder.encode(color, forKey: 0) }
    }

    @Test func messagesInsideEachOtherStopAtTheLimit() throws {
        // Each level is a map and an array.
        let deepest = MessageDecoder.depthLimit / 2 - 1
        _ = try decode(Nested.self, encode(Nested(depth: deepest)).bytes)
        #expect { try decode(Nested.self, encode(Nested(depth: deepest + 1)).bytes) } throws: { error in
            "\(error)".contains("too deeply")
        }
    }

    @Test func aDescriptorThatDidNotComeAlongIsReported() throws {
        let file = try MemoryFile.create(name: "test")
        let (bytes, descriptors) = encode(Parcel(files: [file, file]))
        #expect(descriptors.map(\.rawValue) == [file.rawValue, file.rawValue])
        #expect(try decode(Parcel.self, bytes, descriptors).files.count == 2)
        #expect(throws: MessageError.missingDescriptor(index: 1)) { try decode(Parcel.self, bytes, [file]) }
    }

    @Test func mutationsOfValidMessagesAreReadOrRefused() throws {
        var random = RandomNumbers(seed: 3)
        let file = try MemoryFile.create(name: "test")
        let seeds = [
            encode(Everything()).bytes, encode(Parcel(words: "some words", bytes: [1, 2, 3], files: [file])).bytes,
            encode(Nested(depth: 5)).bytes,
        ]
        for round in 0..<120_000 {
            let bytes = seeds[round % seeds.count].mutated(using: &random)
            switch round % seeds.count {
            case 0: _ = try? decode(Everything.self, bytes)
            case 1: _ = try? decode(Parcel.self, bytes, [file])
            default: _ = try? decode(Nested.self, bytes)
            }
        }
    }
}
