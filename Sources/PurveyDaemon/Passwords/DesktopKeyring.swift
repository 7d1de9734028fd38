import Conduit
import LinuxSystem
import SecretStorage
import Secrets

/// The keyring of the desktop, which `purvey-bus` uses for the daemon.
final class DesktopKeyring: Keyring {
    private let bus: DesktopBusProcess
    /// The identifier of the password store to which the keys belong: the path of the daemon's data.
    private let store: String
    /// The instant until which no call is made, because an earlier call had no reply.
    // Leaf lock.
    private let silentUntil = Lock<ContinuousClock.Instant?>(nil)

    /// The timeout for the reply to a call. It exceeds the timeout of `purvey-bus` for one D-Bus call, because some
    /// replies need several D-Bus calls.
    private static let timeLimit: Duration = .seconds(15)
    /// The duration for which no call is made after a call without a reply, so that callers do not wait one after the
    /// other.
    private static let silence: Duration = .seconds(10)
    /// If a call fails after at least this time, it counts as a call without a reply.
    private static let patience: Duration = .seconds(4)
    /// The timeout for the user's answers to the desktop's prompts. It exceeds the timeouts of `purvey-bus`.
    private static let promptTime: Duration = .seconds(300)

    init(_ bus: DesktopBusProcess, store: String) {
        self.bus = bus
        self.store = store
    }

    func key(_ identifier: KeyIdentifier) throws(KeyringError) -> SecretBytes? {
        try call(FindKeyCall(store: store, identifier: identifier.text)).key
    }

    func anyKey() throws(KeyringError) -> SecretBytes? {
        try call(FindKeyCall(store: store, identifier: nil)).key
    }

    func store(_ key: SecretBytes, as identifier: KeyIdentifier) throws(KeyringError) {
        _ = try call(StoreKeyCall(store: store, identifier: identifier.text, key: key))
    }

    func remove(_ identifier: KeyIdentifier) throws(KeyringError) {
        _ = try call(RemoveKeyCall(store: store, identifier: identifier.text))
    }

    /// Checks that the keyring exists and is unlocked. Blocks.
    func check() throws(KeyringError) { _ = try call(CheckKeyringCall()) }

    /// Asks the user to unlock the keyring, and blocks until the user replies.
    func unlock() throws(KeyringError) {
        expectReplies()
        _ = try call(UnlockKeyringCall(store: store), timeLimit: Self.promptTime)
    }

    /// Permits the next call at once, because the keyring has replied or changed.
    func expectReplies() { silentUntil.withLock { $0 = nil } }

    private func call<C: Call>(
        _ request: C, timeLimit: Duration = DesktopKeyring.timeLimit
    ) throws(KeyringError) -> C.Reply {
        if let until = silentUntil.withLock({ $0 }), .now < until { throw .absent }
        let start = ContinuousClock.now
        do throws(KeyringError) {
            let reply = try send(request, timeLimit)
            expectReplies()
            return reply
        } catch {
            if error == .absent, .now - start >= Self.patience { silentUntil.withLock { $0 = .now + Self.silence } }
            throw error
        }
    }

    private func send<C: Call>(_ request: C, _ timeLimit: Duration) throws(KeyringError) -> C.Reply {
        guard let connection = bus.connectionForKeyring() else { throw .absent }
        do throws(ConduitError) {
            return try connection.callAndWait(request, timeLimit: timeLimit)
        } catch {
            throw KeyringError(error)
        }
    }
}
