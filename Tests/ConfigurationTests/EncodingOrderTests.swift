import Conduit
import Testing

/// The encoder's checks of a message's keys and cases, which are assertions.
@Suite struct EncodingOrderTests {
    private struct Backwards: Message {
        init() {}
        init(from decoder: inout MessageDecoder) throws(MessageError) {}

        func encode(to encoder: inout MessageEncoder) {
            encoder.encode(true, forKey: 2)
            encoder.encode(true, forKey: 1)
        }
    }

    private enum Command: SchemaMessage {
        case start
        case pause
        case stop

        static let schema = Schema<Command>(tag: nil) {
            Case(0, Self.start) { $0 == .start }
            Case(1, Self.pause) { $0 == .pause }
        }
    }

    /// The end of a process whose assertion failed, in a debug build.
    private static var endOfAssertions: ExitTest.Condition {
        #if DEBUG
            .failure
        #else
            .success
        #endif
    }

    @Test func aDebugBuildEndsWhereKeysAreNotWrittenInAscendingOrder() async {
        await #expect(processExitsWith: Self.endOfAssertions) {
            var encoder = MessageEncoder()
            Backwards().write(to: &encoder)
        }
    }

    @Test func aDebugBuildEndsWhereACaseHasNoCoding() async {
        await #expect(processExitsWith: Self.endOfAssertions) {
            var encoder = MessageEncoder()
            Command.stop.write(to: &encoder)
        }
    }
}
