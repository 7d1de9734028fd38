import Foundation
import FoundationNetworking
import Synchronization

/// The downloads and uploads that were registered for items, one for each.
final class RegisteredTasks: Sendable {
    static let shared = RegisteredTasks()

    private struct Key: Hashable {
        let item: NSFileProviderItemIdentifier
        let domain: NSFileProviderDomainIdentifier?
    }
    private struct Registered {
        weak var task: URLSessionTask?
    }
    // Innermost: tasks are asked for their state only.
    private let tasks = Mutex<[Key: Registered]>([:])

    /// - Returns: `false` for a task that runs already, and for an item that has one which has not ended.
    func register(
        _ task: URLSessionTask, for item: NSFileProviderItemIdentifier, of domain: NSFileProviderDomainIdentifier?
    ) -> Bool {
        guard task.state == .suspended else { return false }
        let key = Key(item: item, domain: domain)
        return tasks.withLock { tasks in
            tasks = tasks.filter { $0.value.task.map { $0.state != .completed } ?? false }
            if let other = tasks[key]?.task, other !== task { return false }
            tasks[key] = Registered(task: task)
            return true
        }
    }
}
