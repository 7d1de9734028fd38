import LinuxSystem

/// A provider's being told that a file has changed. The claims that it makes in the middle of that say so, on the thread that is told and
/// in tasks that are begun there: whoever has changed the file does not wait for a provider that waits for its turn to read it.
///
/// Another thread of the provider's is not known from those that read for other reasons, and waits for its turn as they do.
package final class ChangeNoting: Sendable {
    @TaskLocal private static var current: ChangeNoting?

    private let isOver = Lock(false)

    private init() {}

    /// Whether that is what the caller is in the middle of. A task goes on when it is over.
    static var isUnderWay: Bool { current.map { noting in !noting.isOver.withLock { $0 } } ?? false }

    /// Tells a provider.
    package static func run(_ body: () -> Void) {
        let noting = ChangeNoting()
        defer { noting.isOver.withLock { $0 = true } }
        $current.withValue(noting, operation: body)
    }
}
