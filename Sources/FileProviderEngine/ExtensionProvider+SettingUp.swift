import DomainMessages
import ExtensionHost
import FileProvider
import FileProviderWire

/// The set-up of a domain.
extension ExtensionProvider {
    /// Whether the provider sets up domains. The request goes to the process that serves the domain.
    package func setsUpDomains() async throws(ProviderError) -> Bool {
        try await ask(ProviderSetsUpCall(), isSafe: true).isServed
    }

    /// Makes the provider set up the domain, and stores the result. Other requests wait meanwhile. There is no time
    /// limit while the user is asked, or is in the browser. Cancelling the task cancels the set-up.
    ///
    /// - Parameters:
    ///   - candidate: The domain with the settings to try.
    ///   - adopt: Stores the settings, and returns the domain with them. Called only if the provider has set it up.
    /// - Returns: Whether the provider sets up domains.
    package func setUp(
        _ request: ProviderSetUpCall, of candidate: ProviderDomain,
        adopting adopt: @Sendable ([DomainSetting]) async throws(ProviderError) -> ProviderDomain
    ) async throws(ProviderError) -> Bool {
        try await process.setUp(request, of: candidate, adopting: adopt)
    }

    /// Returns what the provider found out about its service; empty if it describes nothing.
    package func findings() async throws(ProviderError) -> [String] {
        try checkConnected()
        return try await process.call(ProviderFindingsCall()).lines
    }
}
