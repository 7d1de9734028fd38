import Conduit

/// Contents in both directions, and everything else that the engine has changed.
extension ProviderRuntime {
    func addTransfers(to service: inout Service) {
        on(ProviderContentsCall.self, .transfer, key: \.identifier, in: &service) {
            request, provider, question throws(ProviderFailure) in
            try provider.contents(request, question)
        }
        on(ProviderStopCall.self, key: \.identifier, in: &service) {
            request, provider, _ throws(ProviderFailure) in
            try provider.stopProviding(request.identifier)
            return Empty()
        }
        on(ProviderReplaceCall.self, .transfer, key: \.identifier, changing: \.identifier, in: &service) {
            request, provider, question throws(ProviderFailure) in
            try provider.replace(request, question)
        }
        on(ProviderCreateCall.self, .transfer, key: { _ in nil }, changing: \.template, in: &service) {
            request, provider, question throws(ProviderFailure) in
            try provider.create(request, question)
        }
    }

    func addPlaces(to service: inout Service) {
        on(ProviderMoveCall.self, key: \.identifier, changing: \.identifier, in: &service) {
            request, provider, question throws(ProviderFailure) in
            try provider.move(request, question)
        }
        on(ProviderDeleteCall.self, key: \.identifier, changing: \.identifier, in: &service) {
            request, provider, question throws(ProviderFailure) in
            do throws(ProviderFailure) {
                try provider.delete(request.identifier, question)
            } catch  where error.kind == .noSuchItem {
                // Gone is gone, whoever removed it.
            }
            return Empty()
        }
        on(ProviderTrashCall.self, key: \.identifier, changing: \.identifier, in: &service) {
            request, provider, question throws(ProviderFailure) in
            try provider.trash(request.identifier, question)
        }
        on(ProviderUntrashCall.self, key: \.identifier, changing: \.identifier, in: &service) {
            request, provider, question throws(ProviderFailure) in
            try provider.untrash(request, question)
        }
        on(ProviderFactCall.self, key: \.identifier, changing: \.identifier, in: &service) {
            request, provider, question throws(ProviderFailure) in
            try provider.set(request.fact, of: request.identifier, question)
        }
    }

    /// Files that programs use at their places in the document storage.
    func addCoordination(to service: inout Service) {
        on(ProviderIdentifyCall.self, key: { _ in nil }, in: &service) { request, provider, _ throws(ProviderFailure) in
            .init(identifier: provider.identifier(ofFileAt: request.path))
        }
        on(ProviderStartCall.self, .transfer, key: \.identifier, in: &service) {
            request, provider, question throws(ProviderFailure) in
            try provider.start(request, question)
            return Empty()
        }
        // Not in turn with what else is asked about the item: that may wait for a file that others get when this is known.
        on(ProviderChangedCall.self, key: { "changed " + $0.identifier }, in: &service) {
            request, provider, _ throws(ProviderFailure) in
            provider.noteChange(at: request.path)
            return Empty()
        }
    }
}
