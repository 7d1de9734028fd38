import Conduit
import FileProviderWire

/// Requests that transfer contents in both directions, and requests for all other changes that the engine uploads.
extension ProviderRuntime {
    func addTransfers(to service: inout Service) {
        on(ProviderContentsCall.self, .transfer, key: \.identifier, in: &service) {
            request, provider, engineRequest throws(ProviderError) in
            try provider.contents(request, engineRequest)
        }
        on(ProviderStopCall.self, key: \.identifier, in: &service) {
            request, provider, _ throws(ProviderError) in
            try provider.stopProviding(request.identifier)
            return Empty()
        }
        on(ProviderImportFinishedCall.self, key: { _ in nil }, in: &service) {
            _, provider, engineRequest throws(ProviderError) in
            try provider.importDidFinish(engineRequest)
            return Empty()
        }
        on(ProviderReplaceCall.self, .transfer, key: \.identifier, changing: \.identifier, in: &service) {
            request, provider, engineRequest throws(ProviderError) in
            try provider.replace(request, engineRequest)
        }
        on(ProviderCreateCall.self, .transfer, key: { _ in nil }, changing: \.template, in: &service) {
            request, provider, engineRequest throws(ProviderError) in
            try provider.create(request, engineRequest)
        }
    }

    func addPlaces(to service: inout Service) {
        on(ProviderMoveCall.self, key: \.identifier, changing: \.identifier, in: &service) {
            request, provider, engineRequest throws(ProviderError) in
            try provider.move(request, engineRequest)
        }
        on(ProviderDeleteCall.self, key: \.identifier, changing: \.identifier, in: &service) {
            request, provider, engineRequest throws(ProviderError) in
            do throws(ProviderError) {
                try provider.delete(request.identifier, engineRequest)
            } catch  where error.kind == .noSuchItem {
                // The item does not exist any more, as requested. It does not matter which side removed it.
            }
            return Empty()
        }
        on(ProviderTrashCall.self, key: \.identifier, changing: \.identifier, in: &service) {
            request, provider, engineRequest throws(ProviderError) in
            try provider.trash(request.identifier, engineRequest)
        }
        on(ProviderUntrashCall.self, key: \.identifier, changing: \.identifier, in: &service) {
            request, provider, engineRequest throws(ProviderError) in
            try provider.untrash(request, engineRequest)
        }
        on(ProviderMetadataCall.self, key: \.identifier, changing: \.identifier, in: &service) {
            request, provider, engineRequest throws(ProviderError) in
            try provider.set(request.metadataChange, of: request.identifier, engineRequest)
        }
    }

    /// Adds the handlers of requests about files that programs use in the document storage.
    func addCoordination(to service: inout Service) {
        on(ProviderIdentifyCall.self, key: { _ in nil }, in: &service) { request, provider, _ throws(ProviderError) in
            .init(identifier: provider.identifier(ofFileAt: request.path))
        }
        on(ProviderStartCall.self, .transfer, key: \.identifier, in: &service) {
            request, provider, engineRequest throws(ProviderError) in
            try provider.start(request, engineRequest)
            return Empty()
        }
        // This request has a key of its own, because another request about the item may wait for a claim that is
        // granted only after the provider is informed of this change.
        on(ProviderChangedCall.self, key: { "changed " + $0.identifier }, in: &service) {
            request, provider, _ throws(ProviderError) in
            provider.noteChange(at: request.path)
            return Empty()
        }
    }
}
