/// What the current task is in the middle of, as ``ThreadClaims`` is for a thread: the claims whose `async` accessors it runs,
/// and the preparations it makes for others.
///
/// A task that is begun inside, even a child, is another one: nothing tells whether it is waited for before the accessor ends.
struct TaskClaims: Sendable {
    let held: [UInt64]
    let answering: [UInt64]
    /// Which task that is, for those that inherit this.
    private let task: Int?

    @TaskLocal private static var inherited: TaskClaims?

    static let none = TaskClaims(held: [], answering: [], task: nil)

    /// Those of the calling task; none outside of tasks.
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

    /// Has a presenter prepare itself.
    static func answering<Result>(
        _ preparations: [UInt64], _ body: () async throws -> Result
    ) async rethrows -> Result {
        let outer = current
        let claims = TaskClaims(held: outer.held, answering: outer.answering + preparations, task: currentTask)
        return try await $inherited.withValue(claims, operation: body)
    }
}

/// What whoever waits for a claim is in the middle of: all that ends after the claim has.
struct ClaimSurroundings: Sendable {
    var enclosing: [UInt64] = []
    var answering: [UInt64] = []
    /// Whether the thread that makes the claim waits for it.
    var blocksThread = false

    /// Nobody waits: somebody is called when the claim is granted.
    static let none = ClaimSurroundings()

    /// The calling thread waits, and with it the task that it runs, if it does.
    static var ofThread: ClaimSurroundings {
        let (task, thread) = (TaskClaims.current, ThreadClaims.current)
        if task.held.isEmpty, task.answering.isEmpty {
            return ClaimSurroundings(enclosing: thread.held, answering: thread.answering, blocksThread: true)
        }
        return ClaimSurroundings(
            enclosing: task.held + thread.held, answering: task.answering + thread.answering, blocksThread: true)
    }

    /// The calling task waits, without blocking its thread.
    static var ofTask: ClaimSurroundings {
        let task = TaskClaims.current
        return ClaimSurroundings(enclosing: task.held, answering: task.answering)
    }
}
