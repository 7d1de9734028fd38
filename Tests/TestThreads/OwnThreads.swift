package import Testing

/// A trait for tests that block: they wait for programs, or read in a mount that another process serves.
///
/// Swift has as many threads for tasks as the machine has processors. A test that blocks one of them prevents other
/// tests of its process from running, and may thus wait for ever for one of them. With this trait, a test, its child
/// tasks and the actors that it calls run on separate threads. Unstructured tasks (`Task { }`) do not, so these must
/// not block.
package struct OwnThreads: SuiteTrait, TestTrait, TestScoping {
    package let isRecursive = true

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(ThreadExecutor.shared) { try await function() }
    }
}

extension Trait where Self == OwnThreads {
    /// Runs tests on separate threads, which may block.
    package static var ownThreads: Self { OwnThreads() }
}
