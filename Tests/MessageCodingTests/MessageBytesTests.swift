import Conduit
import LinuxSystem
import Testing

/// The bytes of messages. A process of an earlier version may be at the other end of a connection, and reads and writes
/// these bytes.
@Suite struct MessageBytesTests {
    @Test(arguments: Recorded.all) func aMessageHasTheBytesOfEarlierVersions(_ recorded: Recorded) throws {
        try check(recorded.message, recorded.bytes)
    }

    private func check<M: Message>(_ message: M, _ expected: String) throws {
        let (bytes, descriptors) = encode(message)
        #expect(digits(bytes) == expected)
        let decoded: Result<M, MessageError> = bytes.withUnsafeBytes { bytes in
            var decoder = MessageDecoder(bytes, descriptors: descriptors)
            do throws(MessageError) {
                return .success(try M.read(from: &decoder))
            } catch {
                return .failure(error)
            }
        }
        #expect(digits(encode(try decoded.get()).bytes) == expected)
    }

    private func encode(_ message: some Message) -> (bytes: [UInt8], descriptors: [FileDescriptor]) {
        var encoder = MessageEncoder()
        message.write(to: &encoder)
        return (encoder.bytes, encoder.descriptors)
    }

    private func digits(_ bytes: [UInt8]) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}

extension Recorded {
    static let all =
        exchange + coordination + extensions + provider + domains + managers + scopes + hosts + items + secrets
        + interfaces
}
