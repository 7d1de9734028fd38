import LinuxSystem

/// A notification of a provider that a file has changed. Claims that the provider makes during it, on the notified
/// thread and in tasks started there, are marked: the process that changed the file does not wait for a provider that
/// itself waits to read the file.
///
/// Claims on other threads of the provider cannot be distinguished from unrelated ones, and wait like those.
package final class ChangeNoting: Sendable {
    @TaskLocal private static var current: ChangeNoting?

    private let isOver = Lock(false)

    private init() {}

    /// Whether the caller is within a notification. A task may outlast it.
    static var isUnderWay: Bool { current.map { noting in !noting.isOver.withLock { $0 } } ?? false }

    /// Runs the notification of a provider.
    package static func run(_ body: () -> Void) {
        let noting = ChangeNoting()
        defer { noting.isOver.withLock { $0 = true } }
        $current.withValue(noting, operation: body)
    }
}
