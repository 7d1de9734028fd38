/// The claims that the current task holds in `async` accessors, and the preparations that it performs. This is
/// ``ThreadClaims`` for tasks.
///
/// A task that is started within an accessor does not hold these claims, not even a child task, because it is unknown
/// whether the accessor waits for the task.
struct TaskClaims: Sendable {
    let held: [UInt64]
    let answering: [UInt64]
    /// The identifier of the task to which the value belongs. A task that has inherited the value from another task has
    /// a different identifier.
    private let task: Int?

    @TaskLocal private static var inherited: TaskClaims?

    static let none = TaskClaims(held: [], answering: [], task: nil)

    /// The claims and preparations of the calling task. The value is empty outside of tasks.
    static var current: TaskClaims {
        guard let task = currentTask, let inherited, inherited.task == task else { return none }
        return inherited
    }

    private static var currentTask: Int? { withUnsafeCurrentTask { $0?.hashValue } }

    /// Runs an accessor. During the run, the calling task holds the given claim.
    static func holding<Result>(_ claim: UInt64, _ body: () async throws -> Result) async rethrows -> Result {
        let outer = current
        let claims = TaskClaims(held: outer.held + [claim], answering: outer.answering, task: currentTask)
        return try await $inherited.withValue(claims, operation: body)
    }

    /// Runs a presenter's code that performs the given preparations.
    static func answering<Result>(
        _ preparations: [UInt64], _ body: () async throws -> Result
    ) async rethrows -> Result {
        let outer = current
        let claims = TaskClaims(held: outer.held, answering: outer.answering + preparations, task: currentTask)
        return try await $inherited.withValue(claims, operation: body)
    }
}

/// The context in which a caller waits for a claim: the claims, preparations and presenters that can only continue
/// after the claim has ended.
struct ClaimSurroundings: Sendable {
    var enclosing: [UInt64] = []
    var answering: [UInt64] = []
    /// Whether the thread that makes the claim waits for it.
    var blocksThread = false

    /// The context of a call that does not wait: a completion handler is called when the claim is granted.
    static let none = ClaimSurroundings()

    /// The context of the calling thread, which blocks, and of the task that it runs, if any.
    static var ofThread: ClaimSurroundings {
        let (task, thread) = (TaskClaims.current, ThreadClaims.current)
        if task.held.isEmpty, task.answering.isEmpty {
            return ClaimSurroundings(enclosing: thread.held, answering: thread.answering, blocksThread: true)
        }
        return ClaimSurroundings(
            enclosing: task.held + thread.held, answering: task.answering + thread.answering, blocksThread: true)
    }

    /// The context of the calling task, which waits without blocking its thread.
    static var ofTask: ClaimSurroundings {
        let task = TaskClaims.current
        return ClaimSurroundings(enclosing: task.held, answering: task.answering)
    }
}
