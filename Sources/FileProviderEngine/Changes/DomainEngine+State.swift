import Conduit
import FileProvider

/// What the provider says of the whole domain, kept so that the rules of its actions need no provider.
extension DomainEngine {
    /// Asks for it, once the provider has told of changes: as the interface has it, another version is signalled so. It serves rules
    /// alone, so what fails here is asked for with the next changes.
    func askForState() async {
        guard changes.mayHaveState, !isClosed else { return }
        do throws(ProviderFailure) {
            let state = try await provider.domainState()
            guard !isClosed, (try? index.domainState())??.version != state.version else { return }
            var encoder = MessageEncoder()
            state.write(to: &encoder)
            let bytes = encoder.bytes
            try write { writer throws(IndexFailure) in try writer.setSetting(Index.stateSetting, bytes) }
        } catch {
            guard error.kind == .unsupported else { return }
            changes.mayHaveState = false
            // An earlier version of the provider may have said something.
            guard !isClosed, (try? index.setting(Index.stateSetting)) ?? nil != nil else { return }
            _ = try? write { writer throws(IndexFailure) in try writer.setSetting(Index.stateSetting, nil) }
        }
    }
}

extension Index {
    fileprivate static let stateSetting = "domain.state"

    /// What the provider has said last of the whole domain; `nil` for nothing.
    package func domainState() throws(IndexFailure) -> ProviderDomainState? {
        guard let bytes = try setting(Self.stateSetting) else { return nil }
        return bytes.withUnsafeBytes { bytes in
            var decoder = MessageDecoder(bytes)
            // What another version of Purvey has written may not be understood: the provider says it again.
            return try? ProviderDomainState.read(from: &decoder)
        }
    }
}
