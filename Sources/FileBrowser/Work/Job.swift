/// Work that the user began in the window: a download, a copy, a move.
@MainActor package final class Job: Identifiable {
    package enum State: Equatable {
        case running
        case done
        case cancelled
        case failed(BrowserError)
    }

    /// A description of the work, such as “Copying 3 items to Photos”.
    package let title: String
    package private(set) var state = State.running
    /// The progress from 0 to 1; `nil` if it is unknown.
    package private(set) var fraction: Double?
    /// The result in words, once there is one.
    var outcome: String?
    private var task: Task<Void, Never>?
    private let begun = ContinuousClock.now
    var whenChanged: () -> Void = {}

    init(_ title: String) { self.title = title }

    func start(_ work: @escaping @MainActor (Job) async throws(BrowserError) -> Void) {
        task = Task {
            do throws(BrowserError) {
                try await work(self)
                end(.done)
            } catch {
                end(error.kind == .cancelled || Task.isCancelled ? .cancelled : .failed(error))
            }
        }
    }

    private func end(_ state: State) {
        self.state = state
        whenChanged()
    }

    func report(_ completed: Int64, _ total: Int64) {
        guard total > 0 else { return }
        fraction = min(max(Double(completed) / Double(total), 0), 1)
        whenChanged()
    }

    /// A function that reports progress from any thread.
    var reporter: @Sendable (Int64, Int64) -> Void {
        { [weak self] completed, total in
            Task { @MainActor in self?.report(completed, total) }
        }
    }

    package func cancel() { task?.cancel() }

    /// Waits for the job's end.
    package func wait() async { await task?.value }

    /// The state in words.
    package var words: String {
        switch state {
        case .running: fraction.map { "\(Int($0 * 100)) %, \(Self.words(for: begun.duration(to: .now)))" } ?? "Working…"
        case .done: outcome ?? "Done"
        case .cancelled: "Cancelled"
        case .failed(let error): error.message
        }
    }

    private static func words(for time: Duration) -> String {
        let seconds = time.components.seconds
        return seconds < 120 ? "for \(seconds) s" : "for \(seconds / 60) min"
    }
}
