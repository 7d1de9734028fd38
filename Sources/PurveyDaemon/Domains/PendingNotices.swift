import FileProvider
import FileProviderEngine
import LinuxSystem

/// The notices of one provider that its engine has not dealt with yet. However many the provider sends, there are
/// few: of those that mean the same, one is kept.
final class PendingNotices: Sendable {
    private struct State {
        var containers: Set<String> = []
        var isResolved = false
        var progress: [String: (sent: Int64, total: Int64)] = [:]
        /// Whether a job of the engine's is to take them.
        var isScheduled = false
    }

    /// The most containers, and the most files that are being sent. Beyond them the working set stands for all
    /// containers, which the engine asks for whatever changed, and progress is left out.
    private static let limit = 1_000

    // Leaf lock.
    private let state = Lock(State())

    /// Adds a notice, and makes the engine deal with all of them soon.
    func add(_ notice: ExtensionProvider.Notice, for engine: DomainEngine) {
        let isFirst = state.withLock { state in
            switch notice {
            case .changes(let container):
                let hasRoom = state.containers.count < Self.limit || state.containers.contains(container)
                state.containers.insert(hasRoom ? container : ProviderItem.workingSetIdentifier)
            case .resolved: state.isResolved = true
            case .progress(let identifier, let sent, let total):
                guard state.progress.count < Self.limit || state.progress[identifier] != nil else { break }
                state.progress[identifier] = (sent, total)
            // Not the engine's: the domain's directory is stored with the domain.
            case .handed: break
            }
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        guard isFirst else { return }
        engine.perform { [self] engine in
            let pending = state.withLock { state in
                defer { state = State() }
                return state
            }
            for container in pending.containers { engine.signal(container: container) }
            if pending.isResolved { engine.resolved() }
            for (identifier, progress) in pending.progress {
                engine.noteUpload(of: identifier, sent: progress.sent, total: progress.total)
            }
        }
    }
}
