import FileProviderWire

/// Lets the provider set up its domain in a separate process.
extension ProviderProcess {
    /// Makes the provider set up the domain in a separate process, and stores the result. All other requests wait in
    /// the meantime, because the provider must not serve the domain with settings that may be wrong.
    ///
    /// - Parameters:
    ///   - candidate: The domain with the settings to try.
    ///   - adopt: Stores the settings that the provider returned, and returns the domain with these settings. Called
    ///     only if the provider has set up the domain. Otherwise, the domain stays unchanged.
    /// - Returns: Whether the provider supports setting up domains.
    package func setUp(
        _ request: ProviderSetUpCall, of candidate: ProviderDomain,
        adopting adopt: @Sendable ([DomainSetting]) async throws(ProviderError) -> ProviderDomain
    ) async throws(ProviderError) -> Bool {
        let old = try await beginSetUp()
        defer { endSetUp() }
        await Self.end(old)
        let instance = try await start(candidate)
        let result: Result<ProviderSetUp, ProviderError>
        do throws(ProviderError) {
            result = .success(try await call(request, .transfer, of: instance, progress: nil))
        } catch {
            result = .failure(error)
        }
        instance.askToEnd()
        _ = await instance.ending()
        let setUp = try result.get()
        if setUp.isServed { domain = try await adopt(setUp.settings) }
        return setUp.isServed
    }

    /// Begins a set-up. Returns the provider's processes that are still running.
    private func beginSetUp() async throws(ProviderError) -> [ProviderInstance] {
        while true {
            switch state {
            case .starting, .ending: _ = await nextChange()
            case .settingUp:
                throw ProviderError(
                    .transient, message: "\(domain.displayName) is being set up by another command; try again")
            case .closed: throw ProviderError(.cancelled, message: "the domain \(domain.displayName) was closed")
            case .none, .running, .disabled:
                watchPlace()
                state = .settingUp
                sleepWatch = nil
                return living
            }
        }
    }

    private func endSetUp() {
        guard case .settingUp = state else { return }
        crashes = 0
        state = .none
        resume(with: nil)
        watchService()
    }

    /// Ends the given processes. First waits, for at most ``patienceWithOld``, for the replies to requests that are in
    /// progress.
    private static func end(_ instances: [ProviderInstance]) async {
        let latest = ContinuousClock.now + patienceWithOld
        for instance in instances {
            while !instance.isIdle, ContinuousClock.now < latest { try? await Task.sleep(for: .milliseconds(20)) }
            instance.askToEnd()
            _ = await instance.ending()
        }
    }
}
