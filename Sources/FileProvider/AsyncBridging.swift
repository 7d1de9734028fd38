import Foundation
import FoundationAdditions
import LinuxSystem
import Synchronization

/// The defaults of functions with two forms, of which a program implements one: with a completion handler, or `async`.
/// The default of each form calls the other form.
enum AsyncBridging {
    /// A function of a given object.
    private struct Function: Hashable {
        let object: ObjectIdentifier
        let name: String
    }

    /// The functions whose default form with a handler is calling the `async` form. If the `async` form calls back, the
    /// class implements neither.
    @TaskLocal private static var standingIn: Set<Function> = []

    /// Calls the `async` form. It is the default of the form with a completion handler.
    static func answer<Object, Answer>(
        _ object: Object, _ name: String, _ completion: @escaping @Sendable (Result<Answer, any Error>) -> Void,
        _ body: @escaping @Sendable (Object) async throws -> Answer
    ) {
        // The protocols of providers allow calls on any thread.
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

    /// Calls the form with a completion handler. It is the default of the `async` form.
    ///
    /// - Parameter neither: the result for a class that has neither form.
    static func ask<Answer>(
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

    /// Throws the error of a provider that does not support a function.
    static func unsupported<Answer>() throws -> Answer { throw CocoaError(.featureUnsupported) }
}

/// A continuation that may be resumed more than once, because programs sometimes call a completion handler twice. Only
/// the first result is used.
final class OnceContinuation<Answer: Sendable>: Sendable {
    // Leaf lock: the continuation is resumed after it is released.
    private let continuation: Mutex<CheckedContinuation<Answer, any Error>?>

    init(_ continuation: CheckedContinuation<Answer, any Error>) { self.continuation = Mutex(continuation) }

    func resume(_ result: Result<Answer, any Error>) {
        let taken = continuation.withLock { continuation in
            defer { continuation = nil }
            return continuation
        }
        taken?.resume(with: result)
    }
}

/// A completion handler that passes only the first reply to the program's handler, even if a backend replies twice. It
/// calls that handler on a thread that may block.
final class OneShotHandler: Sendable {
    private let isTaken = Atomic(false)

    func run(_ handler: @escaping @Sendable () -> Void) {
        if !isTaken.exchange(true, ordering: .relaxed) { HandlerThreads.shared.run(handler) }
    }
}
