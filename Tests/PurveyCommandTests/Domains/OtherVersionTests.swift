import Conduit
import DomainMessages
import FileProvider
import ProgramTesting
import Testing

/// Tests of a program and a daemon of different versions, as after an update.
@Suite(.timeLimit(.minutes(20))) struct OtherVersionTests {
    /// A call of an older daemon, whose replies lack fields that the program expects.
    private struct OlderList: Call {
        static var method: UInt64 { ListDomainsCall.method }
        typealias Reply = Empty
        init(from decoder: inout MessageDecoder) throws(MessageError) {}
        func encode(to encoder: inout MessageEncoder) {}
    }

    /// A call of a newer daemon, whose requests have a field that the program does not know.
    private struct NewerRecents: Call {
        static var method: UInt64 { RecentsCall.method }
        typealias Reply = Empty
        let added: String
        init(from decoder: inout MessageDecoder) throws(MessageError) { added = try decoder.decode(forKey: 1000) }
        func encode(to encoder: inout MessageEncoder) { encoder.encode(added, forKey: 1000) }
    }

    @Test func aDaemonOfAnotherVersionIsReportedInOneLine() async throws {
        try await CommandFixture.run { place in
            var service = Service()
            service.on(OlderList.self) { _, call in call.reply(Empty()) }
            service.on(NewerRecents.self) { _, call in call.reply(Empty()) }
            let listener = try Listener(path: place.home + "/run/daemon.socket", service: service)
            defer { listener.close() }
            // The first reply lacks a field, and the second request does; the other methods are unknown to the
            // daemon.
            for command in ["domains", "recents", "favorites", "list"] {
                let outcome = try await place.purvey(command)
                #expect(
                    outcome.status == 1 && outcome.text.isEmpty
                        && outcome.errors
                            == "purvey: \(command): the daemon that runs is of another version than this program: end it, and try again\n",
                    "\(outcome.errors)")
            }
        }
    }
}
