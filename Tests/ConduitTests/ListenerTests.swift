import Conduit
import ConduitTestMessages
import Glibc
import LinuxSystem
import Testing

@Suite struct ListenerTests {
    private func echoing() -> Service {
        var service = Service()
        service.on(Echo.self) { request, exchange in exchange.reply(request.parcel) }
        return service
    }

    @Test func aListenerServesWhoeverConnectsToItsPath() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/run/daemon.socket"
        let listener = try Listener(path: path, service: echoing())
        defer { listener.close() }
        let connection = try Connection.connect(to: path)
        defer { connection.close() }
        #expect(try await connection.call(Echo(Parcel(number: 5))).number == 5)
        #expect(connection.peer.credentials.processID == getpid())
        #expect(connection.peer.process?.processID == getpid())
        let own = try FileStatus.of("/proc/self/exe").identity
        #expect(try connection.peer.executable().identity == own)
        let status = try FileStatus.of(path)
        #expect(status.kind == .socket)
        #expect(status.permissions == 0o600)
    }
}
