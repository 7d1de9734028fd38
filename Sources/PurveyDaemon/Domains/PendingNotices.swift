import FileProviderEngine
import ItemValues
import LinuxSystem

/// The notices of one provider that its engine has not processed yet. Their number is limited, because several notices
/// with the same meaning are stored as one.
final class PendingNotices: Sendable {
    private struct State {
        var containers: Set<ExactText> = []
        var isResolved = false
        var progress: [ExactText: (sent: Int64, total: Int64)] = [:]
        /// Whether a job that processes the notices is enqueued on the engine's thread.
        var isScheduled = false
    }

    /// The maximum number of containers, and the maximum number of files with upload progress. Each further container
    /// is replaced by the working set, whose change feed covers all containers. Further progress is dropped.
    private static let limit = 1_000

    // Leaf lock.
    private let state = Lock(State())

    /// Adds a notice. Enqueues a job on the engine's thread that processes all notices, unless one is enqueued already.
    func add(_ notice: ExtensionProvider.Notice, for engine: DomainEngine) {
        let isFirst = state.withLock { state in
            switch notice {
            case .changes(let container):
                let hasRoom = state.containers.count < Self.limit || state.containers.contains(container)
                state.containers.insert(hasRoom ? container : ProviderItem.workingSetIdentifier)
            case .resolved: state.isResolved = true
            case .progress(let identifier, let sent, let total):
                guard state.progress.count < Self.limit || state.progress[ExactText(identifier)] != nil else { break }
                state.progress[ExactText(identifier)] = (sent, total)
            // This notice does not concern the engine. The daemon stores the handed directory in the domain's record.
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
            for container in pending.containers.strings { engine.signal(container: container) }
            if pending.isResolved { engine.resolved() }
            for (identifier, progress) in pending.progress {
                engine.noteUpload(of: identifier.string, sent: progress.sent, total: progress.total)
            }
        }
    }
}
