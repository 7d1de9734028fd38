import FileProvider
import Testing

/// A trait that gives a test its own domains, because all tests of the process share the default ones.
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
