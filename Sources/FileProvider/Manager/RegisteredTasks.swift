import Foundation
@_weakLinked import FoundationNetworking
import LinuxSystem
import Synchronization

/// The download and upload tasks that programs registered for items, one per item. The progress of upload tasks is
/// reported to the backend. The progress of download tasks is reported to the engine by the request that fetches the
/// item.
final class RegisteredTasks: Sendable {
    static let shared = RegisteredTasks()

    private struct Key: Hashable {
        let item: NSFileProviderItemIdentifier
        let domain: NSFileProviderDomainIdentifier?
    }
    private struct Registered {
        weak var task: URLSessionTask?
    }
    // Leaf lock: only the state of tasks is read under it.
    private let tasks = Mutex<[Key: Registered]>([:])
    /// Whether a task was ever registered. Before that, the library FoundationNetworking is possibly not loaded, so no
    /// code that needs it is run.
    private let isUsed = Atomic(false)

    /// Registers a task.
    ///
    /// - Returns: `false` if the task was resumed before, or if the item has another task that has not completed.
    func register(
        _ task: URLSessionTask, for item: NSFileProviderItemIdentifier, of domain: NSFileProviderDomainIdentifier?
    ) -> Bool {
        guard task.state == .suspended else { return false }
        let key = Key(item: item, domain: domain)
        isUsed.store(true, ordering: .relaxed)
        let isTaken = tasks.withLock { tasks in
            tasks = tasks.filter { $0.value.task.map { $0.state != .completed } ?? false }
            if let other = tasks[key]?.task, other !== task { return false }
            tasks[key] = Registered(task: task)
            return true
        }
        if isTaken, task is URLSessionUploadTask { watch(task, key, last: 0) }
        return isTaken
    }

    /// Returns the progress of the download task of an item.
    ///
    /// On Linux, Foundation counts the received bytes only of tasks whose session has a `URLSessionDownloadDelegate`.
    ///
    /// - Returns: `nil` if the item has no download task, or if the task has completed or has not received anything.
    func download(
        of item: NSFileProviderItemIdentifier, in domain: NSFileProviderDomainIdentifier?
    ) -> ReceivedBytes? {
        guard isUsed.load(ordering: .relaxed) else { return nil }
        let task = tasks.withLock { $0[Key(item: item, domain: domain)]?.task }
        guard let task, !(task is URLSessionUploadTask), task.state != .completed else { return nil }
        let received = task.countOfBytesReceived
        guard received > 0 else { return nil }
        return ReceivedBytes(received: received, total: max(received, task.countOfBytesExpectedToReceive))
    }

    private static let pause: Duration = .milliseconds(250)

    /// Reports the number of sent bytes at intervals, until the task has completed.
    private func watch(_ task: URLSessionTask, _ key: Key, last: Int64) {
        let backend = NSFileProviderManager.backend
        Deadlines.shared.run(after: Self.pause) { [weak task] in
            guard let task, task.state != .completed else { return }
            let (sent, total) = (task.countOfBytesSent, task.countOfBytesExpectedToSend)
            if sent > last, total >= sent { backend.noteUpload(of: key.item, sent: sent, total: total, in: key.domain) }
            self.watch(task, key, last: max(sent, last))
        }
    }
}

/// The progress of a download in bytes.
struct ReceivedBytes: Sendable {
    let received: Int64
    /// The size of the file, or the number of received bytes if the server does not report the size.
    let total: Int64
}
