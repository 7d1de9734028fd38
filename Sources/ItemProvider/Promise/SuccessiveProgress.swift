import Foundation
import LinuxSystem

/// The progress of a handler whose work has two parts, the second of which is known only after the first has ended.
///
/// ``SupplyTask`` reads and cancels it. The parts belong to the client, and are only read and cancelled.
///
/// Sendable like its superclass: a lock protects its own state.
final class SuccessiveProgress: Progress, @unchecked Sendable {
    private struct Parts {
        var first: Progress?
        var second: Progress?
    }

    // Leaf lock: the parts are read and cancelled after it is released.
    private let parts = Lock(Parts())

    init() {
        super.init(parent: nil, userInfo: nil)
    }

    func begin(_ part: Progress?) {
        guard let part else { return }
        parts.withLock { $0.first = part }
        if super.isCancelled { part.cancel() }
    }

    func goOn(with part: Progress?) {
        guard let part else { return }
        parts.withLock { $0.second = part }
        if super.isCancelled { part.cancel() }
    }

    /// The finished fraction, from 0 to 1. Each part counts as one half. If the first part has no progress, the second
    /// counts as the whole.
    var fraction: Double {
        let (first, second) = parts.withLock { ($0.first, $0.second) }
        guard let second else { return (first?.fractionCompleted ?? 0) / 2 }
        return first == nil ? second.fractionCompleted : 0.5 + second.fractionCompleted / 2
    }

    override var isCancelled: Bool {
        get {
            let (first, second) = parts.withLock { ($0.first, $0.second) }
            return super.isCancelled || (second ?? first)?.isCancelled ?? false
        }
        set { super.isCancelled = newValue }
    }

    override func cancel() {
        super.cancel()
        let (first, second) = parts.withLock { ($0.first, $0.second) }
        first?.cancel()
        second?.cancel()
    }
}
