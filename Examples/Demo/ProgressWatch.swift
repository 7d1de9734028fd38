import Foundation
import Synchronization

/// A poller that reports a load's progress to the parent while the load is in flight.
///
/// `Progress` cannot be observed on Linux, so it is polled twenty times a second.
final class ProgressWatch: Sendable {
    private struct State {
        var progress: Progress?
        var looking: Task<Void, Never>?
    }

    // Leaf lock; nothing is called under it.
    private let state = Mutex(State())

    /// Starts polling a progress.
    func follow(_ progress: Progress) {
        let looking = Task {
            var last = -1.0
            while !Task.isCancelled {
                let fraction = progress.fractionCompleted
                if fraction != last {
                    last = fraction
                    try? ChildReport.progress(fraction).send()
                }
                try? await Task.sleep(for: .milliseconds(50))
            }
        }
        state.withLock { $0 = State(progress: progress, looking: looking) }
    }

    /// Stops polling, and returns the final fraction. The progress may finish a moment after the load's completion.
    func finish() async -> Double {
        let (progress, looking) = state.withLock { ($0.progress, $0.looking) }
        looking?.cancel()
        // No report of this load may follow its final one.
        await looking?.value
        for _ in 0..<200 where progress?.isFinished == false {
            try? await Task.sleep(for: .milliseconds(10))
        }
        return progress?.fractionCompleted ?? 0
    }
}
