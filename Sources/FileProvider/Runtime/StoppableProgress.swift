import Foundation
import LinuxSystem

/// A provider's own progress of something that it does, which is good for stopping it, and for telling how far it is.
///
/// Sendable: it is under a lock, and only read and cancelled.
final class StoppableProgress: @unchecked Sendable {
    private struct State {
        var progress: Progress?
        var hasEnded = false
    }
    // Innermost: the progress is client code's, and is asked and cancelled after it is released.
    private let lock = NSLock()
    private var state = State()

    /// Of what has ended meanwhile nothing is kept.
    func begin(_ progress: Progress) {
        lock.withLock {
            if !state.hasEnded { state.progress = progress }
        }
    }

    /// Nobody waits any more.
    func cancel() { end()?.cancel() }

    @discardableResult
    func end() -> Progress? {
        lock.withLock {
            state.hasEnded = true
            return state.progress.take()
        }
    }

    private static let pause: Duration = .milliseconds(250)

    /// More units than this are taken for bytes; fewer are parts of something of which only the provider knows how much it is.
    private static let fewUnits: Int64 = 1000

    /// As ``watch(last:_:)``, told of bytes: of both numbers 0 where the progress counts something else.
    func watchUnits(_ report: @escaping @Sendable (Int64, Int64) -> Void) {
        watch { [weak self] _ in
            guard let self, let progress = lock.withLock({ state.progress }) else { return }
            let (completed, total) = (progress.completedUnitCount, progress.totalUnitCount)
            if total > Self.fewUnits, 0...total ~= completed { report(completed, total) } else { report(0, 0) }
        }
    }

    /// Looks now and then how far it is, until it has ended.
    ///
    /// - Parameter report: told of thousandths, when there are more than before.
    func watch(last: Int64 = 0, _ report: @escaping @Sendable (Int64) -> Void) {
        Deadlines.shared.run(after: Self.pause) { [weak self] in
            guard let self else { return }
            let (progress, hasEnded) = lock.withLock { (state.progress, state.hasEnded) }
            guard !hasEnded else { return }
            // Client code may be changing it at this moment, and Foundation's arithmetic is not atomic here.
            let fraction = progress?.fractionCompleted ?? 0
            let now = fraction.isFinite && 0...1 ~= fraction ? Int64(fraction * 1000) : 0
            if now > last { report(now) }
            watch(last: max(now, last), report)
        }
    }
}
