import FileProvider
import Testing

/// Gives a test domains of its own: those of the process are other tests', too.
struct OwnDomains: SuiteTrait, TestTrait, TestScoping {
    let isRecursive = true

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await NSFileProviderManager.$backendOfTask.withValue(LocalDomains()) { try await function() }
    }
}

extension Trait where Self == OwnDomains {
    static var ownDomains: Self { OwnDomains() }
}
