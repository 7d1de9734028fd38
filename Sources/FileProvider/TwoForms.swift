import Foundation

/// Questions to a program that have a form with a handler and an `async` one: a class implements either, and the default of each
/// is the other.
enum TwoForms {
    /// One question to one object.
    private struct Question: Hashable {
        let object: ObjectIdentifier
        let name: String
    }

    /// The questions whose form with a handler is asking the other form: when that one comes back, the class has neither.
    @TaskLocal private static var standingIn: Set<Question> = []

    /// What is handed from one thread to another, once, and used by the latter only.
    private struct Handed<Value>: @unchecked Sendable {
        // Proved by the two functions: nobody keeps the value on the side that it comes from.
        let value: Value
    }

    /// The default of the form with a handler: asks the `async` form.
    static func answer<Object, Answer>(
        _ object: Object, _ name: String, _ completion: @escaping @Sendable (Result<Answer, any Error>) -> Void,
        _ body: @escaping @Sendable (Object) async throws -> Answer
    ) {
        // Objects of providers are asked on any thread, as their protocols say.
        let handed = Handed(value: object)
        let question = Question(object: ObjectIdentifier(object as AnyObject), name: name)
        Task {
            do {
                let answer = try await $standingIn.withValue(standingIn.union([question])) {
                    Handed(value: try await body(handed.value))
                }
                completion(.success(answer.value))
            } catch {
                completion(.failure(error))
            }
        }
    }

    /// The default of the `async` form: asks the form with a handler.
    ///
    /// - Parameter neither: the answer of a class that has neither form.
    static func ask<Answer>(
        _ object: AnyObject, _ name: String, neither: () throws -> Answer,
        _ body: (@escaping @Sendable (Result<Answer, any Error>) -> Void) -> Void
    ) async throws -> Answer {
        if standingIn.contains(Question(object: ObjectIdentifier(object), name: name)) { return try neither() }
        let handed = try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<Handed<Answer>, any Error>) in
            let once = OnceContinuation(continuation)
            body { once.resume($0.map { Handed(value: $0) }) }
        }
        return handed.value
    }

    /// What a provider answers that does not do something at all.
    static func unsupported<Answer>() throws -> Answer { throw CocoaError(.featureUnsupported) }
}
