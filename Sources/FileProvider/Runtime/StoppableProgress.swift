import Foundation
import LinuxSystem

/// The provider's `Progress` of an operation. It is used to cancel the operation and to report its progress.
///
/// Sendable: a lock protects the reference, and the `Progress` is only read and cancelled.
final class StoppableProgress: @unchecked Sendable {
    private struct State {
        var progress: Progress?
        var hasEnded = false
    }
    // Leaf lock: the `Progress` is read and cancelled after it is released, because it belongs to provider code.
    private let lock = NSLock()
    private var state = State()

    /// Sets the progress. Ignores the call if the operation has ended already.
    func begin(_ progress: Progress) {
        lock.withLock {
            if !state.hasEnded { state.progress = progress }
        }
    }

    /// Cancels the operation because its request is over.
    func cancel() { end()?.cancel() }

    @discardableResult
    func end() -> Progress? {
        lock.withLock {
            state.hasEnded = true
            return state.progress.take()
        }
    }

    private static let pause: Duration = .milliseconds(250)

    /// The largest total that is assumed to count parts of unknown size. A larger total is assumed to count bytes.
    private static let fewUnits: Int64 = 1000

    /// Reports completed and total bytes at intervals, whenever the operation has advanced, until the operation ends.
    /// If the operation's progress does not count bytes, reports the bytes of its registered download task. If there is
    /// no such task either, reports 0 for both values.
    ///
    /// - Parameters:
    ///   - download: returns the progress of the operation's registered download task; `nil` if there is none.
    ///   - last: the thousandths and the received bytes at the last report.
    func watchUnits(
        of download: @escaping @Sendable () -> ReceivedBytes?, last: (thousandths: Int64, received: Int64) = (0, 0),
        _ report: @escaping @Sendable (Int64, Int64) -> Void
    ) {
        Deadlines.shared.run(after: Self.pause) { [weak self] in
            guard let self else { return }
            let (progress, hasEnded) = lock.withLock { (state.progress, state.hasEnded) }
            guard !hasEnded else { return }
            let (now, bytes) = (Self.thousandths(of: progress), download())
            let (completed, total) = (progress?.completedUnitCount ?? 0, progress?.totalUnitCount ?? 0)
            if now > last.thousandths, total > Self.fewUnits, 0...total ~= completed {
                report(completed, total)
            } else if let bytes, bytes.received > last.received {
                report(bytes.received, bytes.total)
            } else if now > last.thousandths, bytes == nil {
                report(0, 0)
            }
            watchUnits(
                of: download, last: (max(now, last.thousandths), max(bytes?.received ?? 0, last.received)), report)
        }
    }

    // Provider code may change the progress at the same time, and Foundation's arithmetic is not atomic on Linux.
    // Therefore an impossible fraction counts as 0.
    private static func thousandths(of progress: Progress?) -> Int64 {
        let fraction = progress?.fractionCompleted ?? 0
        return fraction.isFinite && 0...1 ~= fraction ? Int64(fraction * 1000) : 0
    }

    /// Reports the progress of the operation at intervals, until the operation ends.
    ///
    /// - Parameter report: called with the completed thousandths of the operation, whenever they have increased.
    func watch(last: Int64 = 0, _ report: @escaping @Sendable (Int64) -> Void) {
        Deadlines.shared.run(after: Self.pause) { [weak self] in
            guard let self else { return }
            let (progress, hasEnded) = lock.withLock { (state.progress, state.hasEnded) }
            guard !hasEnded else { return }
            let now = Self.thousandths(of: progress)
            if now > last { report(now) }
            watch(last: max(now, last), report)
        }
    }
}
