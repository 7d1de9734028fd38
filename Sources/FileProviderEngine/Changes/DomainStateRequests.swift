import Conduit
import FileProviderWire
import ItemStore

/// Requests the provider's state of the whole domain (`NSFileProviderDomainState`). The state is stored, so that it can
/// be read while the provider is not running: by the activation rules of the provider's actions, and for the user's
/// quota.
///
/// It is a part of ``ChangeTracker``.
final class DomainStateRequests {
    private let context: EngineContext
    /// Whether the provider may support a state of the whole domain. `false` after the provider reported that it does
    /// not support one.
    private var mayHaveState = true

    init(_ context: EngineContext) { self.context = context }

    /// Requests the domain state, after the provider's changes were requested. According to the API, a provider signals
    /// changes when the state has a new version. A failed request is repeated only at the next change request, because
    /// only the activation rules of actions and the display of the quota depend on the state.
    nonisolated(nonsending) func request() async {
        guard mayHaveState, !context.isClosed else { return }
        do throws(ProviderError) {
            let state = try await context.provider.domainState()
            guard !context.isClosed, (try? context.index.domainState())??.version != state.version else { return }
            var encoder = MessageEncoder()
            state.write(to: &encoder)
            let bytes = encoder.bytes
            try context.write { writer throws(IndexError) in try writer.setSetting(Index.stateSetting, bytes) }
            context.configuration.states?.noteDomain()
        } catch {
            guard error.kind == .unsupported else { return }
            mayHaveState = false
            // An earlier version of the provider may have had a state.
            guard !context.isClosed, (try? context.index.setting(Index.stateSetting)) ?? nil != nil else { return }
            _ = try? context.write { writer throws(IndexError) in try writer.setSetting(Index.stateSetting, nil) }
        }
    }
}

extension Index {
    fileprivate static let stateSetting = "domain.state"

    /// Returns the last state of the whole domain that the provider reported; `nil` if it reported none.
    package func domainState() throws(IndexError) -> ProviderDomainState? {
        guard let bytes = try setting(Self.stateSetting) else { return nil }
        return bytes.withUnsafeBytes { bytes in
            var decoder = MessageDecoder(bytes)
            // A state that another version of Purvey has written may be unreadable. The provider reports it again.
            return try? ProviderDomainState.read(from: &decoder)
        }
    }
}
