/// The claims that the current task holds in `async` accessors, and the preparations that it performs. This is
/// ``ThreadClaims`` for tasks.
///
/// A task started within an accessor, even a child task, is a different one: whether the accessor waits for it is
/// unknown.
struct TaskClaims: Sendable {
    let held: [UInt64]
    let answering: [UInt64]
    /// The task that the value belongs to, to tell it from tasks that inherit it.
    private let task: Int?

    @TaskLocal private static var inherited: TaskClaims?

    static let none = TaskClaims(held: [], answering: [], task: nil)

    /// The claims and preparations of the calling task; none outside of tasks.
    static var current: TaskClaims {
        guard let task = currentTask, let inherited, inherited.task == task else { return none }
        return inherited
    }

    private static var currentTask: Int? { withUnsafeCurrentTask { $0?.hashValue } }

    /// Runs an accessor under a claim.
    static func holding<Result>(_ claim: UInt64, _ body: () async throws -> Result) async rethrows -> Result {
        let outer = current
        let claims = TaskClaims(held: outer.held + [claim], answering: outer.answering, task: currentTask)
        return try await $inherited.withValue(claims, operation: body)
    }

    /// Runs the preparation of a presenter.
    static func answering<Result>(
        _ preparations: [UInt64], _ body: () async throws -> Result
    ) async rethrows -> Result {
        let outer = current
        let claims = TaskClaims(held: outer.held, answering: outer.answering + preparations, task: currentTask)
        return try await $inherited.withValue(claims, operation: body)
    }
}

/// The context in which a caller waits for a claim: everything that ends after the claim.
struct ClaimSurroundings: Sendable {
    var enclosing: [UInt64] = []
    var answering: [UInt64] = []
    /// Whether the thread that makes the claim waits for it.
    var blocksThread = false

    /// No caller waits: a completion handler is called when the claim is granted.
    static let none = ClaimSurroundings()

    /// The context of the calling thread, which waits, and of the task that it runs, if any.
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
