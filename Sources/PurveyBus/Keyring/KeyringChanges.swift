import Conduit
import LinuxSystem
import Secrets

/// Notifies the daemon of changes of the keyring, from the first use of the keyring on.
final class KeyringChanges: Sendable {
    // Leaf locks: notices are sent after they are released.
    let daemon = Lock<Connection?>(nil)
    private let isFollowing = Lock(false)
    private let isScheduled = Lock(false)

    /// The minimum interval between notices.
    private static let pause: Duration = .milliseconds(500)

    /// Follows the signals of the Secret Service, if they are not followed yet.
    func follow(on bus: BusConnection) {
        let isFirst = isFollowing.withLock { isFollowing in
            defer { isFollowing = true }
            return !isFollowing
        }
        guard isFirst else { return }
        // Both subscriptions last as long as this process.
        _ = bus.follow(SecretServiceNames.name, interface: nil, path: nil) { [self] _ in note() }
        _ = bus.followOwner(of: SecretServiceNames.name) { [self] _ in note() }
    }

    /// Schedules a notice.
    private func note() {
        let isFirst = isScheduled.withLock { isScheduled in
            defer { isScheduled = true }
            return !isScheduled
        }
        guard isFirst else { return }
        Deadlines.shared.run(after: Self.pause) { [self] in
            isScheduled.withLock { $0 = false }
            // Ignore the error: the daemon has ended.
            try? daemon.withLock { $0 }?.notify(KeyringChangedNotice())
        }
    }
}
