import Conduit
import LinuxSystem
import Secrets

/// Access to the secret store of the user's daemon, for programs that are not confined. The daemon reads the program's
/// access groups from the record of the program's bundle. The functions of the module `Security` look up this class by
/// its name.
final class DaemonSecrets: SecretSource, StandardSecretSource {
    private let client: ExchangeClient

    private init(_ client: ExchangeClient) { self.client = client }

    static func make() -> any SecretSource { DaemonSecrets(.shared) }

    /// The maximum number of attempts to make a reading call. A further attempt is made if the daemon ends before it
    /// replies.
    private static let attempts = 2

    func add(_ request: AddSecretCall) throws(SecretError) -> SecretItem { try call(request, attempts: 1) }

    func find(_ request: FindSecretsCall) throws(SecretError) -> [SecretItem] {
        try call(request, attempts: Self.attempts).items
    }

    func update(_ request: UpdateSecretsCall) throws(SecretError) { _ = try call(request, attempts: 1) }

    func remove(_ request: RemoveSecretsCall) throws(SecretError) { _ = try call(request, attempts: 1) }

    private func call<C: Call>(_ request: C, attempts: Int) throws(SecretError) -> C.Reply {
        var attempt = 1
        while true {
            do throws(ConduitError) {
                return try connection().callAndWait(request)
            } catch {
                if case .disconnected = error, attempt < attempts {
                    attempt += 1
                    continue
                }
                throw SecretError(error)
            }
        }
    }

    private func connection() throws(ConduitError) -> Connection {
        let opened = Latch()
        let result = Lock<Connection?>(nil)
        client.withConnection { connection in
            result.withLock { $0 = try? connection.get() }
            opened.open()
        }
        opened.wait()
        guard let connection = result.withLock({ $0 }) else { throw .cancelled }
        return connection
    }
}
