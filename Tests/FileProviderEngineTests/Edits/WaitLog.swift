import FileProviderEngine
import FileProviderWire
import ItemStore
import LinuxSystem

/// The outcomes of waits for edits, and of the edits that they wait for, in the order in which they occur.
final class WaitLog: Sendable {
    // Leaf lock.
    private let state = Lock<[String]>([])

    var lines: [String] { state.withLock { $0 } }

    func note(_ line: String) { state.withLock { $0.append(line) } }

    /// Waits for edits, and records the outcome.
    ///
    /// - Parameter name: The name of the wait in the log.
    func wait(
        _ name: String, on engine: DomainEngine, below top: ItemNumber = .root, from waiter: EditWaiter
    ) async {
        do throws(ProviderError) {
            try await engine.waitForEdits(below: top, from: waiter)
            note("\(name) waited")
        } catch {
            note("\(name) \(error.kind)")
        }
    }
}
