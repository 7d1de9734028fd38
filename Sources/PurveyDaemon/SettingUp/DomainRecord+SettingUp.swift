import DomainMessages
import FileProvider
import FileProviderEngine
import FileProviderWire
import LinuxSystem

extension DomainRecord {
    /// The settings that concern the provider, as a set-up receives them.
    var setUpSettings: [DomainSetting] { settings.filter { !$0.isOwn } }

    /// Returns the record with the provider's settings replaced. Purvey's own settings stay. The path of the handed
    /// directory stays, too, because only the user can choose it.
    func with(settings changed: [DomainSetting]) -> DomainRecord {
        let isKept = { (setting: DomainSetting) in setting.isOwn || setting.key == DomainSetting.path }
        var record = self
        record.settings = settings.filter(isKept) + changed.filter { !isKept($0) }
        return record
    }
}

extension RunningDomain {
    /// Makes the provider set up the domain.
    ///
    /// - Parameters:
    ///   - record: The domain with the settings to try.
    ///   - user: The client that answers the provider's questions.
    ///   - adopt: Stores the settings of a successful set-up, and returns the domain with them. Not called if the
    ///     provider sets up no domains.
    /// - Returns: Whether the provider sets up domains.
    static func setUp(
        _ record: DomainRecord, for purpose: SetUpPurpose, by provider: ExtensionProvider,
        _ questions: SetUpQuestions, askingThrough user: Connection?,
        adopting adopt: @escaping @Sendable ([DomainSetting]) async throws -> DomainRecord
    ) async throws -> Bool {
        let request = ProviderSetUpCall(purpose: purpose, settings: record.setUpSettings)
        // A set-up ends the running process of the provider. The process must continue if the provider sets up no
        // domains.
        guard try await setsUpDomains(provider, for: purpose) else { return false }
        do throws(ProviderError) {
            return try await questions.during(user) { () async throws(ProviderError) in
                try await provider.setUp(request, of: record.providerDomain) { settings async throws(ProviderError) in
                    do {
                        return try await adopt(settings).providerDomain
                    } catch {
                        throw ProviderError(.transient, message: DomainError(error).description)
                    }
                }
            }
        } catch {
            // The new error does not have the code of a refused sign-in. With this code, commands would ask for a
            // password, which the set-up has already done.
            throw DomainError(error.advice)
        }
    }

    /// Whether the provider sets up domains. If the provider of a domain that exists does not reply, the result is
    /// `true`, because a set-up may repair the domain.
    private static func setsUpDomains(
        _ provider: ExtensionProvider, for purpose: SetUpPurpose
    ) async throws(ProviderError) -> Bool {
        do throws(ProviderError) {
            return try await provider.setsUpDomains()
        } catch  where purpose != .adding && error.kind != .cancelled {
            return true
        }
    }
}
