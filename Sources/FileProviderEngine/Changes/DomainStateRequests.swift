import Conduit
import FileProviderWire
import ItemStore

/// Requests for the provider's state of the whole domain (`NSFileProviderDomainState`). The state is stored, so that
/// the activation rules of the provider's actions can be evaluated without the provider.
///
/// It is a part of ``ChangeTracker``.
final class DomainStateRequests {
    private let context: EngineContext
    /// Whether the provider may support a state of the whole domain; `false` once it has reported that it does not.
    private var mayHaveState = true

    init(_ context: EngineContext) { self.context = context }

    /// Requests the domain state after the provider reported changes. According to the API, a provider signals changes
    /// when the state has a new version. A failed request is repeated only with the next changes, because only the
    /// rules of actions depend on the state.
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

    /// Returns the provider's last state of the whole domain; `nil` if there is none.
    package func domainState() throws(IndexError) -> ProviderDomainState? {
        guard let bytes = try setting(Self.stateSetting) else { return nil }
        return bytes.withUnsafeBytes { bytes in
            var decoder = MessageDecoder(bytes)
            // A state that another version of Purvey has written may be unreadable. The provider reports it again.
            return try? ProviderDomainState.read(from: &decoder)
        }
    }
}
