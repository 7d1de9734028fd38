import Conduit
import Testing

/// The encoder's check of a message's keys, which is an assertion.
@Suite struct EncodingOrderTests {
    private struct Backwards: Message {
        init() {}
        init(from decoder: inout MessageDecoder) throws(MessageError) {}

        func encode(to encoder: inout MessageEncoder) {
            encoder.encode(true, forKey: 2)
            encoder.encode(true, forKey: 1)
        }
    }

    @Test func aDebugBuildEndsWhereKeysAreNotWrittenInAscendingOrder() async {
        #if DEBUG
            let expected = ExitTest.Condition.failure
        #else
            let expected = ExitTest.Condition.success
        #endif
        await #expect(processExitsWith: expected) {
            var encoder = MessageEncoder()
            Backwards().write(to: &encoder)
        }
    }
}
