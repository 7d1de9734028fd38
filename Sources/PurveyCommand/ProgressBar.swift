import Dispatch
import Foundation
import Glibc
import Synchronization

/// A progress bar on standard error, if that is a terminal, for operations that take more than half a second.
final class ProgressBar: Sendable {
    private static let width = 32

    private struct State {
        var timer: (any DispatchSourceTimer)?
        var isDrawn = false
        /// The completed fraction, from 0 to 1, that is shown if there is no `Progress`.
        var fraction = 0.0
    }

    // The lock is held while the bar is written to the terminal, so that no bar is drawn after `end`.
    private let state = Mutex(State())

    /// Shows the given progress if standard error is a terminal; if `progress` is `nil`, shows the fraction that
    /// ``report(_:)`` received last.
    func show(_ progress: Progress? = nil) {
        guard isatty(STDERR_FILENO) == 1 else { return }
        state.withLock { state in
            let timer = DispatchSource.makeTimerSource(queue: .global())
            timer.schedule(deadline: .now() + .milliseconds(500), repeating: .milliseconds(100))
            timer.setEventHandler { self.draw(progress?.fractionCompleted ?? self.state.withLock { $0.fraction }) }
            timer.activate()
            state.timer = timer
        }
    }

    /// Reports the completed fraction, from 0 to 1.
    func report(_ fraction: Double) {
        state.withLock { $0.fraction = fraction }
    }

    /// Removes the bar.
    func end() {
        state.withLock { state in
            state.timer?.cancel()
            state.timer = nil
            if state.isDrawn { Self.write("\r\u{1B}[K") }
        }
    }

    private func draw(_ fraction: Double) {
        let fraction = fraction.isFinite ? min(max(fraction, 0), 1) : 0
        let filled = Int(fraction * Double(Self.width))
        let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: Self.width - filled)
        state.withLock { state in
            guard state.timer != nil else { return }
            state.isDrawn = true
            Self.write("\r[\(bar)] \(Int(fraction * 100)) %\u{1B}[K")
        }
    }

    private static func write(_ text: String) {
        let bytes = Array(text.utf8)
        // Errors are ignored, because a closed terminal cannot show the bar.
        _ = Glibc.write(STDERR_FILENO, bytes, bytes.count)
    }
}
