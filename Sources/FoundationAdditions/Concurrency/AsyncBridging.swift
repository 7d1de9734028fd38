import Foundation
import Synchronization

/// Helpers for functions that have two forms: one with a completion handler, and one that is `async`. A program
/// implements one form. The default implementation of each form calls the other form.
package enum AsyncBridging {
    /// The name of a function, and the object on which it is called.
    private struct Function: Hashable {
        let object: ObjectIdentifier
        let name: String
    }

    /// The functions whose default form with a completion handler calls the `async` form in this task. If the default
    /// `async` form finds its own function in this set, the class implements neither form.
    @TaskLocal private static var standingIn: Set<Function> = []

    /// Calls `body`, the `async` form of a function, and passes the result to `completion`. Default implementations of
    /// the form with a completion handler use this function.
    package static func answer<Object, Answer>(
        _ object: Object, _ name: String, _ completion: @escaping @Sendable (Result<Answer, any Error>) -> Void,
        _ body: @escaping @Sendable (Object) async throws -> Answer
    ) {
        // The protocols with such functions allow calls on any thread.
        let handed = Disconnected(object)
        let function = Function(object: ObjectIdentifier(object as AnyObject), name: name)
        Task {
            do {
                let answer = try await $standingIn.withValue(standingIn.union([function])) {
                    Disconnected(try await body(handed.value))
                }
                completion(.success(answer.value))
            } catch {
                completion(.failure(error))
            }
        }
    }

    /// Calls `body`, the form of a function with a completion handler, and returns the handler's first result. Default
    /// implementations of the `async` form use this function.
    ///
    /// - Parameter neither: returns the result for a class that implements neither form.
    package static func ask<Answer>(
        _ object: AnyObject, _ name: String, neither: () throws -> Answer,
        _ body: (@escaping @Sendable (Result<Answer, any Error>) -> Void) -> Void
    ) async throws -> Answer {
        if standingIn.contains(Function(object: ObjectIdentifier(object), name: name)) { return try neither() }
        let handed = try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<Disconnected<Answer>, any Error>) in
            let once = OnceContinuation(continuation)
            body { once.resume($0.map { Disconnected($0) }) }
        }
        return handed.value
    }

    /// Throws the error for a function that a provider does not support.
    package static func unsupported<Answer>() throws -> Answer { throw CocoaError(.featureUnsupported) }
}

/// A continuation that may be resumed more than once, because programs sometimes call a completion handler twice. Only
/// the first result is used.
package final class OnceContinuation<Answer: Sendable>: Sendable {
    // Leaf lock: the continuation is resumed after the lock is released.
    private let continuation: Mutex<CheckedContinuation<Answer, any Error>?>

    package init(_ continuation: CheckedContinuation<Answer, any Error>) { self.continuation = Mutex(continuation) }

    package func resume(_ result: Result<Answer, any Error>) {
        let taken = continuation.withLock { continuation in
            defer { continuation = nil }
            return continuation
        }
        taken?.resume(with: result)
    }
}
